import {
  InputError,
  invariant,
  type Links,
  type Schema,
  type Task,
  type Wire,
  type Work,
  type WorkPart
} from '@murmuration/core'
import type { TaskSet } from '@murmuration/tasks'
import { frameHeaderLength, pooledVectorWire, type VectorMessage } from '@murmuration/wire'
import { firstParameters } from './first-parameters.js'

/** The traffic of another model in place of the trained one: message sizes, and the division into tensors. */
export interface ModelTraffic {
  /** One tensor for each tensor of the traffic, over the trained parameters. */
  readonly schema: Schema
  readonly wire: Wire<VectorMessage>
  /** The tensors as parts of a gradient, where it is ready tensor by tensor. */
  readonly parts?: readonly WorkPart[] | undefined
}

/**
 * Maps the tensors of a larger model to the parameters of the trained one, so that convergence is real and message
 * sizes are those of the larger model. Every tensor gets at least one of the `length` parameters, otherwise in
 * proportion to its size. Each parameter of a tensor counts for the same number of bytes, which add up to the tensor's.
 *
 * @param tensors - the number of float32 values in each tensor, at least 1
 * @param readyAt - for each tensor, the fraction of a gradient's computing after which its part is ready
 */
export function trafficOver(length: number, tensors: readonly number[], readyAt?: readonly number[]): ModelTraffic {
  if (length < tensors.length) {
    throw new InputError(
      `traffic has ${tensors.length} tensors, but the task has only ${length} parameters, fewer than one per tensor; ` +
        'choose a task with more parameters, or traffic with fewer tensors'
    )
  }
  const lengths = dealOut(length, tensors)
  const bytesBefore = new Float64Array(length + 1)
  let element = 0
  for (const [index, count] of lengths.entries()) {
    const first = bytesBefore[element]
    for (let k = 1; k <= count; k++) bytesBefore[++element] = first + (4 * tensors[index] * k) / count
  }
  invariant(element === length, 'the traffic does not cover the parameters')
  const payloadLength = ({ offset = 0, vector }: VectorMessage) =>
    Math.round(bytesBefore[offset + vector.length] - bytesBefore[offset])
  return {
    schema: lengths.map((count, index) => ({ name: `traffic ${index + 1}`, shape: [count] })),
    wire: {
      ...pooledVectorWire(),
      payloadLength,
      byteLength: (message) => frameHeaderLength + payloadLength(message)
    },
    parts: readyAt && partsOf(lengths, readyAt)
  }
}

/** The tensors of these lengths in the order in which they are ready. */
function partsOf(lengths: readonly number[], readyAt: readonly number[]): readonly WorkPart[] {
  let offset = 0
  const parts = lengths.map((length, tensor) => {
    offset += length
    return { offset: offset - length, length, done: readyAt[tensor] }
  })
  return parts.sort((left, right) => left.done - right.done)
}

/**
 * Links on which the trained parameters take as long as `weight` times as many bytes do on the given ones: from them
 * follows which collective suits the traffic.
 */
export function linksOfTraffic({ access, path }: Links, weight: number): Links {
  return {
    access: (peer) => {
      const { up, down } = access(peer)
      return { up: up / weight, down: down / weight }
    },
    path: (from, to) => {
      const { bandwidth, window, pipes, ...rest } = path(from, to)
      const slower = pipes.map((pipe) => ({ ...pipe, bandwidth: pipe.bandwidth / weight }))
      return { ...rest, bandwidth: bandwidth / weight, window: window / weight, pipes: slower }
    }
  }
}

/** Divides `total` into whole numbers in proportion to sizes, each at least 1, by the largest remainder method. */
function dealOut(total: number, sizes: readonly number[]): number[] {
  const sum = sizes.reduce((all, size) => all + size, 0)
  const exact = sizes.map((size) => (size / sum) * total)
  const fractions = exact.map((fraction) => Math.max(1, Math.floor(fraction)))
  let rest = total - fractions.reduce((all, fraction) => all + fraction, 0)
  const order = exact.map((_, index) => index)
  order.sort((left, right) => exact[right] - fractions[right] - (exact[left] - fractions[left]) || left - right)
  for (let k = 0; rest > 0; k++, rest--) fractions[order[k % order.length]]++
  // Raising small tensors to 1 exceeded the total; the largest are reduced.
  while (rest < 0) {
    fractions[fractions.indexOf(Math.max(...fractions))]--
    rest++
  }
  return fractions
}

/** A task with the tensors of a traffic, or its own. Its start parameters are drawn once for all of the set. */
export function asTraffic({ schema, parts }: ModelTraffic, taskSet: TaskSet, task: Task): Task {
  return {
    schema,
    samples: task.samples,
    about: {},
    rows: schema === task.schema ? task.rows : undefined,
    dual: task.dual,
    kernel: schema === task.schema ? task.kernel : undefined,
    initialise: (seed) => firstParameters(taskSet, task, seed),
    gradient: (parameters, batch, round) => inParts(task.gradient(parameters, batch, round), parts),
    evaluate: (parameters) => task.evaluate(parameters)
  }
}

/** The work, with these parts of its result. */
function inParts<Result>(work: Work<Result>, parts: Work<Result>['parts']): Work<Result> {
  return parts === undefined ? work : { kind: work.kind, samples: work.samples, run: () => work.run(), parts }
}
