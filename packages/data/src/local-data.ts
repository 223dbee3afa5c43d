import { InputError, type Scale } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { fingerprintOf } from './fingerprint.js'
import { joined, upTo } from './indices.js'
import { openData, openTest } from './open-data.js'
import { partition } from './partition.js'
import type { Samples, LocalData, LocalDataOptions, SplitOptions } from './samples.js'
import { scaled, standardScale } from './scaling.js'
import { widenedTo } from './sparse.js'
import { take, type Source, sourceOf } from './source.js'
import { split } from './split.js'
import { fittedTo } from './test-set.js'

/**
 * Loads the data, holds back the test set, divides the rest, and returns one peer's local data, or the union of all
 * without `self`. Everything depends only on the options, so that all peers agree on the division without
 * communication.
 *
 * The samples of all files are concatenated and then split by the seed, even where the data set has its own test set,
 * so that every data set is treated alike.
 *
 * Throws an {@link InputError} for options or data that make no sense.
 */
export async function loadLocalData(options: LocalDataOptions): Promise<LocalData> {
  check(options)
  const opened = await openTest(options)
  const source = await openData(options.data, options, opened)
  const test = opened && withInputsOf(source, opened, options)
  const localData = localDataOptionsOf(source, options, test)
  const drawn = ['digits', 'gaussians', 'sentences'].includes(options.data.kind)
  return drawn ? localData : withFingerprint(localData, source, options, test)
}

/**
 * Where machines have different data, the test set alone says how many inputs there are; a model that is tested says
 * it, too.
 */
function withInputsOf(source: Source, test: Source, { partition, like }: LocalDataOptions): Source {
  return partition.kind === 'local' || like !== undefined ? test : widenedTo(source, test)
}

/**
 * Does the same as {@link loadLocalData} with samples that are already in memory. They are the same on every peer, and
 * match their shapes and their count.
 *
 * Throws an {@link InputError} for options that make no sense, or samples that cannot be divided so.
 *
 * @param test - the test set that `options.test` describes
 */
export function localDataOf(samples: Samples, options: SplitOptions, test?: Source): LocalData {
  check(options)
  const source = sourceOf(samples)
  return withFingerprint(localDataOptionsOf(source, options, test), source, options, test)
}

function localDataOptionsOf(trainSource: Source, options: SplitOptions, testSource?: Source): LocalData {
  const fitted = testSource === undefined ? trainSource : fittedTo(testSource, trainSource)
  const [train, test] = testSource === undefined ? split(fitted, options) : [upTo(fitted.count), upTo(testSource.count)]
  const scale = scaleOf({ fitted, train, testSource }, options)
  const onScale = (each: Source) => (scale === undefined ? each : scaled(each, scale))
  const source = onScale(fitted)
  const testSamples = take(testSource === undefined ? source : onScale(testSource), test)
  if (options.partition.kind === 'local') {
    return { train: take(source, train), test: testSamples, shardSizes: [train.length] }
  }
  const shards = partition(
    labelsOf(source, train, options),
    source.classes ?? 0,
    options.partition,
    options.peers.length,
    createRandom(options.seed, 'partition')
  )
  const selected = options.self === undefined ? shards : [shards[options.peers.indexOf(options.self)]]
  return {
    train: take(
      source,
      joined(selected).map((index) => train[index])
    ),
    test: testSamples,
    shardSizes: shards.map((shard) => shard.length)
  }
}

/** With data that only one machine has, the numbers come from the test set, as the classes do. */
function scaleOf(
  { fitted, train, testSource }: { fitted: Source; train: Uint32Array; testSource: Source | undefined },
  { scale, partition: { kind } }: SplitOptions
): Scale | undefined {
  if (scale !== 'standard') return scale
  if (kind === 'local' && testSource !== undefined) return standardScale(testSource, upTo(testSource.count))
  return standardScale(fitted, train)
}

/**
 * One peer's local data with the checksum of the data that all peers have; with partition 'local' that is the test set.
 * Only present where there are other peers to compare it with.
 */
function withFingerprint(
  localData: LocalData,
  source: Source,
  { self, partition: { kind } }: SplitOptions,
  test?: Source
): LocalData {
  if (self === undefined) return localData
  return { ...localData, fingerprint: fingerprintOf(kind === 'local' && test !== undefined ? test : source) }
}

function check({ testFraction, test, partition: { kind }, peers, self }: SplitOptions): void {
  if (kind === 'local' && test === undefined) {
    throw new InputError(
      'partition "local" keeps all samples of a machine for its peer, and so needs a test set that all peers share: ' +
        'test: { path: FILE, sha256: { FILE: hex } }'
    )
  }
  if (kind === 'local' && self === undefined) {
    throw new InputError(
      'with partition "local" no machine has the data of all peers: start each peer on its machine with "murmur peer"'
    )
  }
  if (test === undefined && !(testFraction > 0 && testFraction < 1)) {
    throw new InputError(`testFraction is ${testFraction}, expected a number between 0 and 1, such as 0.2`)
  }
  if (peers.length === 0) throw new InputError('peers is empty, expected at least one peer')
  if (self !== undefined && !peers.includes(self)) {
    throw new InputError(`"${self}" is not among the peers, which are ${peers.join(', ')}`)
  }
}

/** The values that the partition uses: one number per training sample; equal parts ignore them. */
function labelsOf(source: Source, train: Uint32Array, { partition: { kind } }: SplitOptions): Float32Array {
  const { targets, targetShape, classes } = source
  if (kind !== 'equal' && (targetShape.length > 0 || (kind === 'dirichlet' && classes === undefined))) {
    throw new InputError(`partition "${kind}" needs samples with one class each; use "equal" for this data`)
  }
  return new Float32Array(train.length).map((_, index) => targets[train[index]])
}
