import { InputError, type Links, type PeerName } from '@murmuration/core'
import { shapingProblem } from '@murmuration/libp2p'
import { readLinksFile } from '@murmuration/files'
import type { RunPlan } from '../../training/plan.js'

/**
 * Reads the links that shape a swarm. Throws an InputError when the file is wrong, or has links that cannot be shaped.
 */
export async function readShapedLinks(path: string, { file }: Pick<RunPlan, 'file'>): Promise<Links> {
  const peers = [...file.peers, ...file.servers].map(({ name }) => name)
  const links = await readLinksFile(path, peers)
  checkShape(path, links, peers)
  return links
}

/** The links of a run: from the file on the command line, or from a scenario's method. */
export async function linksOf(path: string | undefined, plan: RunPlan): Promise<Links | undefined> {
  if (path !== undefined) return readShapedLinks(path, plan)
  if (plan.links !== undefined) checkShape(plan.path, plan.links, plan.file.topology.peers)
  return plan.links
}

function checkShape(path: string, links: Links, peers: readonly PeerName[]): void {
  const problem = shapingProblem(links, peers)
  if (problem !== undefined) throw new InputError(`${path}: ${problem}`)
}
