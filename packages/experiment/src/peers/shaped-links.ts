import { InputError, type Links } from '@murmuration/core'
import { shapingProblem } from '@murmuration/libp2p'
import { readLinksFile } from '@murmuration/files'
import type { Plan } from '../training/plan.js'

/** Reads the links that a swarm is to be shaped by. Throws an InputError when the file is wrong or says what cannot be shaped. */
export async function readShapedLinks(path: string, { file }: Pick<Plan, 'file'>): Promise<Links> {
  const peers = [...file.peers, ...file.servers].map(({ name }) => name)
  const links = await readLinksFile(path, peers)
  const problem = shapingProblem(links, peers)
  if (problem !== undefined) throw new InputError(`${path}: ${problem}`)
  return links
}
