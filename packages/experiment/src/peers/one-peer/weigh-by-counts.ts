import type { PeerName } from '@murmuration/core'
import { grouped } from '@murmuration/data/peer'
import type { Peer } from '@murmuration/libp2p'
import { gradientWeight, type TaskWorker } from '@murmuration/tasks/peer'
import type { RunEvent } from '../../base/events.js'
import type { RunPlan } from '../../training/plan.js'
import { localWeights } from '../../training/training-schema.js'

interface Weighed {
  readonly plan: RunPlan
  readonly self: PeerName
  /** How long the others may take to send their counts, in milliseconds. */
  readonly timeout: number
  readonly emit: (event: RunEvent) => void
}

/** If each peer has its own data, the peers exchange their sample counts, and weight their gradients accordingly. */
export async function weighByCounts(
  { plan, self, timeout, emit }: Weighed,
  task: TaskWorker,
  peer: Peer
): Promise<void> {
  const weights = localWeights(plan.training)
  if (weights === undefined || plan.options.servers?.includes(self)) return
  // A peer that joins later tells nobody its count, and none needs it.
  if (weights === 'per-peer' && plan.file.peers.some(({ invited }) => invited)) return
  const counts = await peer.exchangeSampleCounts(task.samples, timeout)
  if (weights === 'per-sample') await task.weighGradients(gradientWeight(counts, self))
  const neighbours = peer.neighbours().map(({ name }) => name)
  emit({ kind: 'note', text: countsText(self, neighbours, counts, weights) })
}

/** The counts of a peer and its neighbours, and the total. */
function countsText(
  self: PeerName,
  neighbours: readonly PeerName[],
  counts: ReadonlyMap<PeerName, number>,
  weights: 'per-sample' | 'per-peer'
): string {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const countOf = (name: PeerName) => grouped(counts.get(name) ?? 0)
  const neighbourTexts = neighbours.map((name) => `${name} ${countOf(name)}`).join(', ')
  const weighting = weights === 'per-sample' ? 'all samples have the same weight' : 'all peers have the same weight'
  return `${self} has ${countOf(self)} local samples${neighbourTexts === '' ? '' : `, its neighbours ${neighbourTexts}`}, all peers together ${grouped(all)}; ${weighting}`
}
