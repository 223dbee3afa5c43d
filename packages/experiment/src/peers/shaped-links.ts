import { InputError, type Links, type PeerName } from '@murmuration/core'
import { shapingProblem } from '@murmuration/libp2p'
import { readLinksFile } from '@murmuration/files'
import type { Plan } from '../training/plan.js'

/** Reads the links that a swarm is to be shaped by. Throws an InputError when the file is wrong or says what cannot be shaped. */
export async function readShapedLinks(path: string, { file }: Pick<Plan, 'file'>): Promise<Links> {
  const peers = [...file.peers, ...file.servers].map(({ name }) => name)
  const links = await readLinksFile(path, peers)
  checkShape(path, links, peers)
  return links
}

/** The links of a run: of the file that the command line names, or those of a scenario's method. */
export async function linksOf(path: string | undefined, plan: Plan): Promise<Links | undefined> {
  if (path !== undefined) return readShapedLinks(path, plan)
  if (plan.links !== undefined) checkShape(plan.path, plan.links, plan.file.topology.peers)
  return plan.links
}

function checkShape(path: string, links: Links, peers: readonly PeerName[]): void {
  const problem = shapingProblem(links, peers)
  if (problem !== undefined) throw new InputError(`${path}: ${problem}`)
}
