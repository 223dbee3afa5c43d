/**
 * The same training in one place: the union of the data, the joint batches of all peers, the same optimiser. With keyed
 * rows: one worker that holds them all.
 */
import { type AnySettings, hasRows, jointBatches, type Shard, train } from '@murmuration/algorithms'
import { peerName, type StepReport, type Task } from '@murmuration/core'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { pooledVectorWire } from '@murmuration/wire'
import { recordNamed } from '../../training/algorithm-choice.js'

const self = peerName('all')
const alone = { peers: [self], period: 1, mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] }) }

/**
 * Trains a peer alone, and resolves with its parameters. `shards` are the peers, with sample counts, that the task has
 * data of. `onStep` is awaited.
 */
export async function trainCentrally(
  task: Task,
  settings: AnySettings,
  shards: readonly Shard[],
  onStep: (report: StepReport) => Promise<void>
): Promise<Float32Array> {
  const { seed, batchSize } = settings
  const isOfRows = hasRows(settings)
  const draw = jointBatches({ seed, batchSize, shards })
  const joint: Task = { ...task, gradient: (x, _batch, round) => task.gradient(x, draw(), round) }
  const algorithm = recordNamed(isOfRows ? 'classic-local-server' : 'sgd')
  const batch = isOfRows ? batchSize : batchSize * shards.length
  const run = {
    ...settings,
    algorithm,
    options: {},
    batchSize: batch,
    finalRounds: 0,
    pipeline: undefined,
    workers: [self],
    servers: []
  } as AnySettings
  let parameters = new Float32Array()
  const links = uniformLinks({ latency: 0 })
  await simulate({ topology: alone, seed, wire: pooledVectorWire(), links, cost: () => 0 }, async (fabric) => {
    for await (const report of train(fabric, joint, run)) {
      await onStep(report)
      if (report.round + 1 === settings.rounds) parameters = Float32Array.from(report.parameters)
    }
  })
  return parameters
}
