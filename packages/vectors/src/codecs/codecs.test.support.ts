import type { Random } from '@murmuration/core'
import type { ExecutionContext } from 'ava'
import type { Decoder, EncodedBody, Encoder } from './codec.js'
import { parseCodec } from './parse.js'

/** Random numbers for tests, from a hashed counter (Steele et al. 2014, SplitMix). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  const integer = (limit: number) => {
    state = (state + 0x9e37_79b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0_aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97)
    return Math.floor((((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32) * limit)
  }
  const uniform = () => integer(2 ** 32) / 2 ** 32
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  const shuffle = <T>(items: readonly T[]) => items.toSorted(() => uniform() - 0.5)
  return { uniform, integer, normal, shuffle, stream: (purpose) => randomOf(seed + purpose.length) }
}

/** A vector of draws from the normal distribution. */
export function normals(length: number, seed: number, size = 1): Float32Array {
  const random = randomOf(seed)
  return Float32Array.from({ length }, () => size * random.normal())
}

/** Both ends of a link. */
export class Pair {
  readonly encoder: Encoder
  readonly decoder: Decoder
  /** The last body. */
  body: EncodedBody & { readonly content: Uint8Array } = { id: 0, bytes: 0, content: new Uint8Array() }

  constructor(
    codec: string,
    readonly length: number,
    seed = 1
  ) {
    this.encoder = parseCodec(codec).createEncoder(length, randomOf(seed))
    this.decoder = parseCodec(codec).createDecoder(length)
  }

  encode(values: Float32Array, offset = 0): EncodedBody & { readonly content: Uint8Array } {
    const out = new Uint8Array(4 * values.length)
    const written = this.encoder.encode(values, offset, out)
    this.body = { ...written, content: out.slice(0, written.bytes) }
    return this.body
  }

  /** The result of transmitting `values`. */
  pass(t: ExecutionContext, values: Float32Array, offset = 0): Float32Array {
    const { id, content } = this.encode(values, offset)
    const out = new Float32Array(values.length)
    const fault = this.decoder.decode(id, content, offset, out)
    if (fault !== undefined) t.fail(fault)
    return out
  }
}

/** The largest |x − y| of two vectors. */
export function farthest(x: Float32Array, y: Float32Array): number {
  return x.reduce((max, value, index) => Math.max(max, Math.abs(value - y[index])), 0)
}

/** The largest power of two that is at most `size`, which is above zero. */
export function powerOf(size: number): number {
  let power = 2 ** Math.floor(Math.log2(size))
  while (power > size) power /= 2
  while (2 * power <= size) power *= 2
  return power
}
