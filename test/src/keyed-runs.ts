/** Runs of algorithms with keyed rows, in either world, and their results. */
import { type RowsAlgorithm, type SavedRows, train, type TrainingSettings } from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import { type KeyCounts, type PeerName, peerName, type Task } from '@murmuration/core'
import { lengthOf } from '@murmuration/vectors'
import { complete, type WorldProgram, type WorldOptions } from './worlds.js'

export type KeyedWorld = (options: WorldOptions, program: WorldProgram) => Promise<void>

export interface Ends {
  readonly models: Map<PeerName, Float32Array>
  /** Rows by key, from the reports of each round. */
  readonly held: Map<number, Float32Array>[]
  readonly counts: Map<PeerName, KeyCounts>
  readonly losses: number[]
  /** What each peer holds after its last round of training. */
  readonly saved: Map<PeerName, SavedRows>
}

/** Trains on `count` peers, and on two servers where the algorithm has some; from what each has saved, if it has. */
export async function runOf(
  world: KeyedWorld,
  algorithm: RowsAlgorithm,
  peers: number,
  taskOf: (place: number) => Task,
  more: Partial<TrainingSettings<RowsAlgorithm>>,
  from: ReadonlyMap<PeerName, SavedRows> = new Map()
): Promise<Ends> {
  const names = Array.from({ length: peers }, (_, place) => peerName(`p${place}`))
  const servers = ['s0', 's1'].slice(0, algorithm.holders === 'servers' ? 2 : 0).map(peerName)
  const settings = {
    algorithm,
    seed: 1,
    batchSize: 4,
    rounds: 2,
    finalRounds: 1,
    rate: () => 1,
    timeout: timeLimit(20_000),
    workers: names,
    servers,
    ...more
  }
  const ends: Ends = { models: new Map(), held: [], counts: new Map(), losses: [], saved: new Map() }
  const options = { topology: complete(...names), servers, seed: 1, length: lengthOf(taskOf(0).schema) }
  await world(options, async (fabric) => {
    const { self } = fabric
    const task = taskOf(Math.max(0, names.indexOf(self)))
    const own = { from: from.get(self) }
    for await (const { holds, parameters, keys, phase, loss, round, samples } of train(fabric, task, settings, own)) {
      if (holds !== undefined)
        ends.saved.set(self, { round: round + 1, samples, keys: holds, rows: parameters.slice() })
      if (loss !== undefined) ends.losses.push(loss)
      if (keys !== undefined) ends.counts.set(self, keys)
      if (phase === 'average') ends.models.set(self, parameters.slice())
      const width = task.rows?.width ?? 0
      for (const [place, key] of (holds ?? []).entries())
        void (ends.held[round] ??= new Map()).set(key, parameters.slice(place * width, (place + 1) * width))
    }
  })
  return ends
}
