import { InputError } from '@murmuration/core'
import type { Codec } from './codec.js'
import { denseCodec, rawCodec } from './dense.js'
import { bfloat16, float16, int8 } from './formats.js'
import { topK } from './top-k.js'

const formats = [float16, bfloat16, int8]
const dense = [rawCodec, ...[false, true].flatMap((delta) => formats.map((format) => denseCodec(format, delta)))]

/** The words that name codecs, as they stand in training files; `top-k` has an example of its share. */
export const codecWords: readonly string[] = [...dense.map(({ name }) => name), 'top-k:0.01']

const sharePattern = /^top-k:(\d*\.?\d+(?:e-?\d+)?)$/

/** The codec of that name. Throws an {@link InputError} that names all there are when there is none. */
export function parseCodec(text: string): Codec {
  const found = dense.find(({ name }) => name === text)
  if (found !== undefined) return found
  const share = Number(sharePattern.exec(text)?.[1])
  if (share > 0 && share <= 1) return topK(share)
  if (text.startsWith('top-k:')) {
    throw new InputError(
      `found "${text}", expected "top-k:" and the share that is sent: above 0, at most 1, such as top-k:0.01`
    )
  }
  throw new InputError(`found "${text}", expected one of ${codecWords.join(', ')}`)
}

/** Bytes of a body of `count` numbers in the codec of that name, without the frame's header; of top-k the most that they can be. */
export function bodyBytes(codec: string, count: number): number {
  return parseCodec(codec).bytes(count)
}

/** Whether {@link parseCodec} knows the codec of that name. */
export function isCodec(text: string): boolean {
  try {
    parseCodec(text)
    return true
  } catch (error) {
    if (error instanceof InputError) return false
    throw error
  }
}
