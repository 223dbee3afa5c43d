import type { Random } from '@murmuration/core'
import { bodyOf } from '../copy.js'
import { type Codec, codecIds, type Decoder, type EncodedBody, type Encoder, rawBytes } from './codec.js'
import { decodeStretch, encodeStretch, type Format, int8 } from './formats.js'
import {
  checkRoom,
  decodeRaw,
  misplaced,
  notFinite,
  otherCodec,
  ReferenceVector,
  unset,
  wrongLength
} from './reference.js'

/** The vectors as they are: 4 bytes per number. */
export const rawCodec: Codec = {
  name: 'float32',
  id: codecIds.float32,
  stateful: false,
  bytes: rawBytes,
  maxBytes: rawBytes,
  createEncoder: (length) => ({
    encode: (values, offset, out) => {
      checkRoom(length, offset, values.length, out)
      out.set(bodyOf(values))
      return { id: codecIds.float32, bytes: rawBytes(values.length) }
    },
    reset: () => {}
  }),
  createDecoder: (length) => ({
    decode: (id, bytes, offset, out) =>
      misplaced(length, offset, out.length) ?? (id === codecIds.float32 ? decodeRaw(bytes, out) : otherCodec(id)),
    reset: () => {}
  })
}

/** A codec that writes every number of a stretch, or of its change since the reference. */
export function denseCodec(format: Format, delta: boolean): Codec {
  const name = delta ? (`delta-${format.name}` as const) : format.name
  const id = codecIds[name]
  return {
    name,
    id,
    stateful: delta,
    bytes: format.bytes,
    maxBytes: rawBytes,
    createEncoder: (length, random) => new DenseEncoder(id, format, length, delta, random),
    createDecoder: (length) => new DenseDecoder(id, name, format, length, delta)
  }
}

class DenseEncoder implements Encoder {
  readonly #id: number
  readonly #format: Format
  readonly #length: number
  readonly #reference: ReferenceVector | undefined
  readonly #dice: Uint32Array | undefined

  constructor(id: number, format: Format, length: number, delta: boolean, random: Random) {
    this.#id = id
    this.#format = format
    this.#length = length
    this.#reference = delta ? new ReferenceVector(length) : undefined
    // A generator whose state is zero gives nothing but zeros.
    if (format === int8) this.#dice = Uint32Array.from({ length: 16 }, () => random.integer(2 ** 32 - 1) + 1)
  }

  encode(values: Float32Array, offset: number, out: Uint8Array): EncodedBody {
    const { length } = values
    checkRoom(this.#length, offset, length, out)
    const bytes = this.#format.bytes(length)
    const known = this.#reference?.stretch(offset, length)
    const shorter = bytes < rawBytes(length)
    if (shorter && encodeStretch(this.#format, values, known, out, this.#dice)) return { id: this.#id, bytes }
    out.set(bodyOf(values))
    this.#reference?.become(values, offset)
    return { id: codecIds.float32, bytes: rawBytes(length) }
  }

  reset(): void {
    this.#reference?.forget()
  }
}

class DenseDecoder implements Decoder {
  readonly #id: number
  readonly #name: keyof typeof codecIds
  readonly #format: Format
  readonly #length: number
  readonly #reference: ReferenceVector | undefined

  constructor(id: number, name: keyof typeof codecIds, format: Format, length: number, delta: boolean) {
    this.#id = id
    this.#name = name
    this.#format = format
    this.#length = length
    this.#reference = delta ? new ReferenceVector(length) : undefined
  }

  decode(id: number, bytes: Uint8Array, offset: number, out: Float32Array): string | undefined {
    const wrong = misplaced(this.#length, offset, out.length)
    if (wrong !== undefined) return wrong
    const known = this.#reference?.stretch(offset, out.length)
    const fault = this.#read(id, bytes, known, out)
    if (fault !== undefined) known?.fill(unset)
    return fault
  }

  #read(id: number, bytes: Uint8Array, known: Float32Array | undefined, out: Float32Array): string | undefined {
    if (id === codecIds.float32) return decodeRaw(bytes, out, known)
    if (id !== this.#id) return otherCodec(id, this.#name)
    const expected = this.#format.bytes(out.length)
    if (bytes.byteLength !== expected) return wrongLength(bytes.byteLength, expected)
    if (decodeStretch(this.#format, bytes, known, out)) return undefined
    return notFinite(known)
  }

  reset(): void {
    this.#reference?.forget()
  }
}
