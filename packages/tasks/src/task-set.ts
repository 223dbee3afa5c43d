import { InputError, type Schema, type Task } from '@murmuration/core'
import { type About, type Model, ShardTask } from './shard-task.js'

/**
 * The tasks of all peers of a run, over one copy of the data and one scratch memory, for many peers in one thread. Each
 * gives the same bits as the task that its peer would build for itself.
 */
export interface TaskSet {
  readonly schema: Schema
  /** All peers, in the order of their shards in the union. */
  readonly peers: readonly string[]
  /** The task over the shards of all peers, one after the other. */
  readonly union: Task
  /**
   * A task over the shard of one peer, a new one at each call. It owns only the memory of its last gradient. Throws an
   * {@link InputError} for a peer that is not one of `peers`.
   */
  of(peer: string): Task
}

/** The parts of a task set. */
export interface TaskSetParts {
  /** Its samples are the peers' shards one after the other. */
  readonly model: Model
  readonly peers: readonly string[]
  /** How many samples each peer has. */
  readonly shardSizes: readonly number[]
  /** Fingerprints that must be the same on all peers. */
  readonly fingerprints?: Task['fingerprints']
  readonly constantAnswer?: Task['constantAnswer']
  readonly about: About
}

/** The task set of these parts. */
export function taskSetOf({ model, peers, shardSizes, about, ...facts }: TaskSetParts): TaskSet {
  const indices = new Map(peers.map((peer, index) => [peer, index]))
  const firsts = startsOf(shardSizes)
  const meanSamples = firsts[peers.length] / peers.length
  return {
    schema: model.schema,
    peers,
    union: new ShardTask(model, 0, firsts[peers.length], about, facts),
    of: (peer) => {
      const index = indices.get(peer)
      if (index === undefined) throw new InputError(`"${peer}" is not among the ${peers.length} peers of the tasks`)
      return new ShardTask(model, firsts[index], shardSizes[index], about, { ...facts, peer, meanSamples })
    }
  }
}

/**
 * The task of one peer, or that of all when it is absent. Throws an {@link InputError} for a peer that the set does not
 * have.
 */
export function taskIn(set: TaskSet, self: string | undefined): Task {
  return self === undefined ? set.union : set.of(self)
}

/** Where each shard begins, and finally the number of samples. */
function startsOf(sizes: readonly number[]): readonly number[] {
  let next = 0
  return [0, ...sizes.map((size) => (next += size))]
}
