import { InputError } from '@murmuration/core'
import { drawnDigits } from './digits/digits.js'
import { openFiles, openKnownSet } from './files.js'
import { drawnGaussians } from './gaussians.js'
import type { DataDescription, DrawnCount, Fit, SplitOptions } from './samples.js'
import type { Source } from './source.js'
import { drawnSentences } from './text/sentences.js'
import { defaultContext } from './text/text.js'
import { testCountOf } from './split.js'
import { fittedToModel } from './test-set.js'

/**
 * Draws or opens the described data. Throws an {@link InputError} for a description that makes no sense.
 *
 * @param like - samples that these have to fit
 */
export async function openData(
  data: DataDescription,
  options: SplitOptions,
  like: Fit | undefined = options.like
): Promise<Source> {
  const source = await open(data, options, like)
  return options.targets === 'numbers' ? { ...source, classes: undefined } : source
}

/** Opens the common test set, if there is one. */
export async function openTest(options: SplitOptions): Promise<Source | undefined> {
  if (options.test === undefined) return undefined
  const test = await openData({ kind: 'files', ...options.test, mustMatch: true }, options)
  return options.like === undefined ? test : fittedToModel(options.like, test)
}

async function open(data: DataDescription, options: SplitOptions, like: Fit | undefined): Promise<Source> {
  switch (data.kind) {
    case 'digits':
      return drawnDigits(countOf(data, options), options.seed, whole('size', data.size ?? 28, 1, 28))
    case 'gaussians': {
      const drawn = data.samples === undefined && data.samplesPerPeer === undefined ? { samples: 4601 } : data
      return drawnGaussians(countOf(drawn, options), options.seed, whole('features', data.features ?? 57, 1))
    }
    case 'sentences':
      return drawnSentences(countOf(data, options), options.seed, { context: contextOf(options) })
    case 'known':
      return openKnownSet(data.name, { context: contextOf(options) })
    case 'files':
      return openFiles(data, {
        targets: options.targets,
        context: contextOf(options),
        ...(like === undefined ? {} : { like })
      })
  }
}

function countOf({ samples, samplesPerPeer }: DrawnCount, { peers, testFraction }: SplitOptions): number {
  if (samplesPerPeer === undefined) return whole('samples', samples, 2)
  if (samples !== undefined) throw new InputError('data has both samples and samplesPerPeer, expected one of them')
  const wanted = whole('samplesPerPeer', samplesPerPeer, 1) * peers.length
  let count = wanted + 1
  while (count - testCountOf(count, testFraction) < wanted) count++
  return count
}

function contextOf({ context = defaultContext }: SplitOptions): number {
  return whole('context', context, 1, 2 ** 16)
}

function whole(name: string, value: number | undefined, min: number, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && value !== undefined && value >= min && value <= max) return value
  const limits = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  throw new InputError(`data.${name} is ${value}, expected a whole number ${limits}`)
}
