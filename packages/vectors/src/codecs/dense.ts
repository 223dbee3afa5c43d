import type { Random } from '@murmuration/core'
import { bodyOf } from '../copy.js'
import {
  type Accuracy,
  type Codec,
  type CodecKind,
  type Decoder,
  type EncodedBody,
  type Encoder,
  float32Floor,
  rawBytes,
  rawCodecId
} from './codec.js'
import { decodeRange, encodeRange, type Format } from './formats.js'
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

/** A format, and the codec that writes every number of a range in it. */
export interface DenseFormat extends Format, Omit<CodecKind, 'parameter' | 'create'> {
  readonly accuracy: Accuracy
  /** The accuracy when changes are written in it. */
  readonly deltaAccuracy: Omit<Accuracy, 'floor'>
}

/** The id of a delta codec is that of its format plus this. */
const deltaIds = 8

/** The codec that writes every number of a range. */
export function dense(format: DenseFormat): CodecKind {
  const { name, id, description, accuracy } = format
  return kindOf({ name, id, description, accuracy, stateful: false }, format)
}

/** The codec that writes how every number of a range changed since the reference. */
export function delta(format: DenseFormat): CodecKind {
  const { name, id, deltaAccuracy } = format
  const accuracy = { ...deltaAccuracy, floor: float32Floor }
  const description = `the changes since the last vector, as ${name}`
  return kindOf({ name: `delta-${name}`, id: deltaIds + id, description, accuracy, stateful: true }, format)
}

type Traits = Pick<Codec, 'name' | 'id' | 'accuracy' | 'stateful'>

function kindOf({ description, ...traits }: Traits & Pick<CodecKind, 'description'>, format: Format): CodecKind {
  const codec: Codec = {
    ...traits,
    bytes: format.bytes,
    maxBytes: rawBytes,
    createEncoder: (length, random) => new DenseEncoder(traits, format, length, random),
    createDecoder: (length) => new DenseDecoder(traits, format, length)
  }
  return { name: traits.name, id: traits.id, description, create: () => codec }
}

class DenseEncoder implements Encoder {
  readonly #id: number
  readonly #format: Format
  readonly #length: number
  readonly #reference: ReferenceVector | undefined
  readonly #generator: Uint32Array | undefined

  constructor({ id, stateful }: Traits, format: Format, length: number, random: Random) {
    this.#id = id
    this.#format = format
    this.#length = length
    this.#reference = stateful ? new ReferenceVector(length) : undefined
    // With a state of zero the generator produces only zeros.
    if (format.isRandom) this.#generator = Uint32Array.from({ length: 16 }, () => random.integer(2 ** 32 - 1) + 1)
  }

  encode(values: Float32Array, offset: number, out: Uint8Array): EncodedBody {
    const { length } = values
    checkRoom(this.#length, offset, length, out)
    const bytes = this.#format.bytes(length)
    const reference = this.#reference?.range(offset, length)
    const isShorter = bytes < rawBytes(length)
    if (isShorter && encodeRange(this.#format, values, reference, out, this.#generator)) return { id: this.#id, bytes }
    out.set(bodyOf(values))
    this.#reference?.become(values, offset)
    return { id: rawCodecId, bytes: rawBytes(length) }
  }

  reset(): void {
    this.#reference?.forget()
  }
}

class DenseDecoder implements Decoder {
  readonly #id: number
  readonly #name: string
  readonly #format: Format
  readonly #length: number
  readonly #reference: ReferenceVector | undefined

  constructor({ id, name, stateful }: Traits, format: Format, length: number) {
    this.#id = id
    this.#name = name
    this.#format = format
    this.#length = length
    this.#reference = stateful ? new ReferenceVector(length) : undefined
  }

  decode(id: number, bytes: Uint8Array, offset: number, out: Float32Array): string | undefined {
    const problem = misplaced(this.#length, offset, out.length)
    if (problem !== undefined) return problem
    const reference = this.#reference?.range(offset, out.length)
    const fault = this.#read(id, bytes, reference, out)
    if (fault !== undefined) reference?.fill(unset)
    return fault
  }

  #read(id: number, bytes: Uint8Array, reference: Float32Array | undefined, out: Float32Array): string | undefined {
    if (id === rawCodecId) return decodeRaw(bytes, out, reference)
    if (id !== this.#id) return otherCodec(id, { id: this.#id, name: this.#name })
    const expected = this.#format.bytes(out.length)
    if (bytes.byteLength !== expected) return wrongLength(bytes.byteLength, expected)
    if (decodeRange(this.#format, bytes, reference, out)) return undefined
    return notFinite(reference)
  }

  reset(): void {
    this.#reference?.forget()
  }
}
