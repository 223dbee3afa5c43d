import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { partition, type Samples, type Share, type ShareOptions } from '@murmuration/tasks'
import { sizeOf } from '@murmuration/vectors'
import type { UserSamples } from './user-module.js'

/**
 * Splits and shares out a module's own samples, as data sets are.
 * Throws an {@link InputError} for samples that do not fit their shapes, or are too few.
 */
export function shareOut(own: UserSamples, options: ShareOptions): Share {
  const all = samplesOf(own)
  const [train, test] = split(all.count, options)
  const shards = partition(
    labelsOf(all, train, options),
    all.classes ?? 0,
    options.partition,
    options.peers.length,
    createRandom(options.seed, 'partition')
  )
  const wanted = options.self === undefined ? shards : [shards[positionOf(options.self, options.peers)]]
  return {
    train: pick(
      all,
      wanted.flatMap((shard) => Array.from(shard, (place) => train[place]))
    ),
    test: pick(all, test),
    shardSizes: shards.map((shard) => shard.length)
  }
}

/** What the partition goes by: one number per training sample. */
function labelsOf(all: Samples, train: readonly number[], { partition: { kind } }: ShareOptions): number[] {
  if (kind === 'equal') return train.map(() => 0)
  if (all.targetShape.length > 0 || (kind === 'dirichlet' && all.classes === undefined)) {
    throw new InputError(`partition "${kind}" needs samples with one class each; use "equal" for this data`)
  }
  return train.map((index) => all.targets[index])
}

function positionOf(self: string, peers: readonly string[]): number {
  const position = peers.indexOf(self)
  if (position < 0) throw new InputError(`"${self}" is not among the peers, which are ${peers.join(', ')}`)
  return position
}

function split(count: number, { testShare, seed }: ShareOptions): readonly [number[], number[]] {
  const order = createRandom(seed, 'split').shuffle(Array.from({ length: count }, (_, index) => index))
  const held = Math.min(count - 1, Math.max(1, Math.round(count * testShare)))
  return [order.slice(held), order.slice(0, held)]
}

function samplesOf({ inputs, inputShape, targets, targetShape = [], classes }: UserSamples): Samples {
  const count = inputs.length / sizeOf(inputShape)
  if (!Number.isInteger(count) || count < 2) {
    throw new InputError(
      `loadSamples gives ${inputs.length} input values, no two or more samples of shape [${inputShape}]`
    )
  }
  if (targets.length !== count * sizeOf(targetShape)) {
    throw new InputError(
      `loadSamples gives ${targets.length} target values for ${count} samples of shape [${targetShape}]`
    )
  }
  const isClass = (target: number) => Number.isInteger(target) && target >= 0 && target < (classes ?? 0)
  if (classes !== undefined && !targets.every(isClass)) {
    throw new InputError(`loadSamples gives targets that are no class numbers from 0 to ${classes - 1}`)
  }
  return { count, inputs, inputShape, targets, targetShape, classes }
}

function pick(all: Samples, indices: readonly number[]): Samples {
  return {
    ...all,
    count: indices.length,
    inputs: rows(all.inputs, sizeOf(all.inputShape), indices),
    targets: rows(all.targets, sizeOf(all.targetShape), indices)
  }
}

function rows(values: Float32Array, size: number, indices: readonly number[]): Float32Array {
  const picked = new Float32Array(indices.length * size)
  for (const [place, index] of indices.entries()) {
    picked.set(values.subarray(index * size, (index + 1) * size), place * size)
  }
  return picked
}
