import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { fingerprintOf } from './fingerprint.js'
import { openData } from './open-data.js'
import { partition } from './partition.js'
import type { Samples, Share, ShareOptions, SplitOptions } from './samples.js'
import { gather, type Source, sourceOf } from './source.js'
import { split } from './split.js'

/**
 * Loads the data, holds back the test set, shares the rest out, and returns one peer's share, or the union of all without
 * `self`. Everything hangs on the options alone, so that all peers agree on who has what without a word.
 *
 * The samples of all files are put together and then split by the seed, also where the data set came with a test set of its
 * own, so that every data set is treated alike.
 *
 * Throws an {@link InputError} for options or data that make no sense.
 */
export async function loadShare(options: ShareOptions): Promise<Share> {
  check(options)
  const source = await openData(options.data, options)
  const share = shareOf(source, options)
  return options.data.kind === 'digits' || options.data.kind === 'gaussians' ? share : marked(share, source, options)
}

/**
 * Does with samples that are already there what {@link loadShare} does with those that it loads. They are the same on every
 * peer, and as long as their shapes and their count say.
 *
 * Throws an {@link InputError} for options that make no sense, or samples that cannot be shared out so.
 */
export function shareOut(samples: Samples, options: SplitOptions): Share {
  check(options)
  const source = sourceOf(samples)
  return marked(shareOf(source, options), source, options)
}

function shareOf(source: Source, options: SplitOptions): Share {
  const [train, test] = split(source.count, options)
  const shards = partition(
    labelsOf(source, train, options),
    source.classes ?? 0,
    options.partition,
    options.peers.length,
    createRandom(options.seed, 'partition')
  )
  const wanted = options.self === undefined ? shards : [shards[options.peers.indexOf(options.self)]]
  return {
    train: gather(
      source,
      concatenated(wanted).map((place) => train[place])
    ),
    test: gather(source, test),
    shardSizes: shards.map((shard) => shard.length)
  }
}

/** One peer's share with the checksum of the data: there are others to compare it with. */
function marked(share: Share, source: Source, { self }: SplitOptions): Share {
  return self === undefined ? share : { ...share, fingerprint: fingerprintOf(source) }
}

function check({ testShare, peers, self }: SplitOptions): void {
  if (!(testShare > 0 && testShare < 1)) {
    throw new InputError(`testShare is ${testShare}; a number between 0 and 1 is expected, such as 0.2`)
  }
  if (peers.length === 0) throw new InputError('peers is empty; at least one peer is expected')
  if (self !== undefined && !peers.includes(self)) {
    throw new InputError(`"${self}" is not among the peers, which are ${peers.join(', ')}`)
  }
}

/** What the partition goes by: one number per training sample, which equal parts do not look at. */
function labelsOf(source: Source, train: Uint32Array, { partition: { kind } }: SplitOptions): Float32Array {
  const { targets, targetShape, classes } = source
  if (kind !== 'equal' && (targetShape.length > 0 || (kind === 'dirichlet' && classes === undefined))) {
    throw new InputError(`partition "${kind}" needs samples with one class each; use "equal" for this data`)
  }
  return Float32Array.from(train, (index) => targets[index])
}

function concatenated(parts: readonly Uint32Array[]): Uint32Array {
  return Uint32Array.from(parts.flatMap((part) => [...part]))
}
