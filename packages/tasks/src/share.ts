import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { drawnDigits } from './digits/digits.js'
import { openFiles } from './files/files.js'
import { partition } from './partition.js'
import type { DataDescription, Share, ShareOptions } from './samples.js'
import { gather, type Source } from './source.js'

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
  const source = await open(options.data, options.seed)
  const [train, test] = split(source.labels.length, options)
  const targets = train.map((index) => source.labels[index])
  const random = createRandom(options.seed, 'partition')
  const shards = partition(targets, source.classes, options.partition, options.peers.length, random)
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

async function open(data: DataDescription, seed: number): Promise<Source> {
  switch (data.kind) {
    case 'digits':
      return drawnDigits(data.samples, seed)
    case 'files':
      return openFiles(data)
  }
}

function check({ data, testShare, peers, self }: ShareOptions): void {
  if (data.kind === 'digits' && !(Number.isSafeInteger(data.samples) && data.samples >= 2)) {
    throw new InputError(`data.samples is ${data.samples}; a whole number of at least 2 is expected`)
  }
  if (!(testShare > 0 && testShare < 1)) {
    throw new InputError(`testShare is ${testShare}; a number between 0 and 1 is expected, such as 0.2`)
  }
  if (peers.length === 0) throw new InputError('peers is empty; at least one peer is expected')
  if (self !== undefined && !peers.includes(self)) {
    throw new InputError(`"${self}" is not among the peers, which are ${peers.join(', ')}`)
  }
}

/** The numbers of the training and of the test samples; at least one of each. */
function split(count: number, { testShare, seed }: ShareOptions): readonly [Uint32Array, Uint32Array] {
  if (count < 2)
    throw new InputError(`the data has ${count} sample, at least 2 are expected: one to train and one to test`)
  const order = createRandom(seed, 'split').shuffle(Array.from({ length: count }, (_, index) => index))
  const held = Math.min(count - 1, Math.max(1, Math.round(count * testShare)))
  return [Uint32Array.from(order.slice(held)), Uint32Array.from(order.slice(0, held))]
}

function concatenated(parts: readonly Uint32Array[]): Uint32Array {
  return Uint32Array.from(parts.flatMap((part) => [...part]))
}
