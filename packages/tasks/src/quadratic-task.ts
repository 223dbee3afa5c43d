import type { Task } from '@murmuration/core'
import { type TaskSet, taskSetOf } from './task-set.js'
import { Quadratic } from './quadratic.js'
import { drawNoises, drawObjectives, type Objectives } from './quadratic-objectives.js'
import { complete, type CompleteQuadraticOptions, type QuadraticTaskOptions } from './quadratic-options.js'
import { ShardTask } from './shard-task.js'

/** The known solution of quadratics. */
export interface Solution {
  /** x*, the minimiser of the mean of all peers' objectives. */
  readonly optimum: Float64Array
  /** f(x*), the mean of all peers' objectives there. */
  readonly minimum: number
}

/** A task whose solution is known. */
export interface QuadraticTask extends Task, Solution {}

/** The tasks of all peers, and the solution of their union. */
export interface QuadraticTaskSet extends TaskSet, Solution {}

/** What a worker thread calls: {@link createQuadraticTask}. */
export async function createTask(options: QuadraticTaskOptions): Promise<QuadraticTask> {
  return createQuadraticTask(options)
}

/**
 * Random quadratics, f_i(x) = ‖A_i x − b_i‖² for peer i and f = mean of the f_i, as in Vogels et al. 2021 (RelaySGD).
 * Each A_i has random singular vectors and the same singular values. With b_i = A_i c_i and H_i = A_iᵀA_i, f_i is (x −
 * c_i)ᵀ H_i (x − c_i), which is what is computed.
 *
 * The evaluation's loss is f(x) − f(x*), which is exact even where it is tiny. Throws an {@link InputError} for options
 * that make no sense.
 */
export function createQuadraticTask(given: QuadraticTaskOptions): QuadraticTask {
  const options = complete(given)
  const all = drawObjectives(options)
  const model = modelOf(options, all)
  const about = factsOf(options, model)
  const samples = options.samples * (options.self === undefined ? options.peers.length : 1)
  return Object.assign(new ShardTask(model, 0, samples, () => about), solutionOf(all))
}

/** The same for all peers at once. `self` is ignored. */
export function createQuadraticTaskSet(given: QuadraticTaskOptions): QuadraticTaskSet {
  const options = complete({ ...given, self: undefined })
  const { peers, samples } = options
  const all = drawObjectives(options)
  const model = modelOf(options, all)
  const about = factsOf(options, model)
  const shardSizes = peers.map(() => samples)
  return { ...taskSetOf({ model, peers, shardSizes, about: () => about }), ...solutionOf(all) }
}

/** The samples of `self`, or of all peers when absent. */
function modelOf(options: CompleteQuadraticOptions, { objectives, mean }: Objectives): Quadratic {
  const { peers, self, samples, distance } = options
  const owners = self === undefined ? [...peers.keys()] : [peers.indexOf(self)]
  const sampled = owners.map((index) => ({ ...objectives[index], noises: drawNoises(peers[index], options) }))
  return new Quadratic(sampled, samples, mean, `a point, ${distance} away from the optimum at the start`)
}

function solutionOf({ mean, minimum }: Objectives): Solution {
  return { optimum: mean.centre, minimum }
}

function factsOf(options: CompleteQuadraticOptions, { about }: Quadratic): Task['about'] {
  const { peers, dimension, smallestSingular, largestSingular, heterogeneity, noise } = options
  return {
    data: `random quadratics in ${dimension} dimensions, singular values ${smallestSingular} to ${largestSingular}`,
    partition: `one quadratic for each of ${peers.length} peers, ζ² = ${heterogeneity}, gradient noise ${noise}`,
    model: about
  }
}
