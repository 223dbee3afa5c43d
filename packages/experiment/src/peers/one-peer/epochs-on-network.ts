import type { EpochBeginning, EpochSettings, Members } from '@murmuration/algorithms'
import type { Milliseconds, PeerName } from '@murmuration/core'
import type { Peer } from '@murmuration/libp2p'
import { gradientWeight, type TaskWorker } from '@murmuration/tasks/peer'
import type { RunEvent } from '../../base/events.js'
import { epochSettings, finalRoundsOn } from '../../training/epoch-settings.js'
import { placeInLines } from '../../training/pipeline.js'
import { hasEpochs, type RunPlan } from '../../training/plan.js'
import { localWeights } from '../../training/training-schema.js'
import type { Halt } from '../checkpoints/halt.js'

/** How long a peer that begins with the others waits for its links, which are built by then on most networks. */
const linksWithin: Milliseconds = 10_000
/** How often it looks. */
const lookEvery: Milliseconds = 20

/** What a peer has that takes part in epochs. */
interface EpochPeer {
  readonly plan: RunPlan
  readonly self: PeerName
  readonly emit: (event: RunEvent) => void
  readonly halt?: Halt | undefined
}

/** How a real peer continues in epochs; undefined where its run ends with the loss of a peer, or none is needed. */
export function epochsOn(
  { plan, self, emit, halt }: EpochPeer,
  task: TaskWorker,
  peer: Peer
): EpochSettings | undefined {
  const { training, options, file } = plan
  if (!hasEpochs(plan)) return undefined
  const { pipeline, links } = file
  const topology = pipeline?.stages[placeInLines(pipeline, self).stage] ?? file.topology
  const isWeighed = localWeights(training) === 'per-sample' && options.servers?.includes(self) !== true
  const before = async ({ epoch, lost, joined, paused }: EpochBeginning) => {
    const { number, round, servers, givers } = epoch
    const members = epoch.members.map(({ name }) => name)
    const facts = { members, servers, givers, lost, joined }
    emit({ kind: 'epoch', peer: self, epoch: number, round, ...facts, seconds: paused / 1000 })
    // Of lines the epoch has the weights.
    if (isWeighed && pipeline !== undefined) return task.weighGradients(1)
    const workers = epoch.members.filter(({ name }) => !servers.includes(name))
    const counts = new Map(workers.map(({ name, samples }) => [name, samples]))
    if (isWeighed && counts.has(self)) await task.weighGradients(gradientWeight(counts, self))
  }
  return {
    ...epochSettings(training, { topology, links }, (graph) => finalRoundsOn(graph, training)),
    isWeighed,
    isConnected: (members) => areReady(peer, members),
    // Where all are stopped together, those that stop first are no loss: each saves the round before which all stop.
    isHeld: () => halt?.isStopping === true,
    before
  }
}

/** Waits for the links to the others that are there: what is sent before they are built would be lost. */
export async function linked(peer: Peer, members: Members): Promise<void> {
  const { fabric } = peer
  const end = fabric.now() + linksWithin
  while (!areReady(peer, members.standing.present) && fabric.now() < end) await fabric.sleep(fabric.now() + lookEvery)
}

function areReady(peer: Pick<Peer, 'neighbours'>, members: readonly PeerName[]): boolean {
  return peer.neighbours().every(({ name, state }) => state === 'ready' || !members.includes(name))
}
