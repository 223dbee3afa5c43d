import type { Random } from '@murmuration/core'
import { type Codec, type Decoder, type EncodedBody, type Encoder, rawCodecId } from './codec.js'
import { rawCodec } from './float32.js'
import { decodeRaw } from './reference.js'

/**
 * For how many kinds of vectors, the first ones, the ends of a link keep codec state: each may take the memory of a
 * whole vector, and the other side chooses them. Others are sent as raw float32.
 */
export const maxLanes = 16

/** A sequence of vectors whose bodies may build on each other: one kind of message and one field of it. */
export interface Lane {
  readonly kind: number
  readonly field: number
}

/**
 * The random stream from which the codecs of the link to `to` draw seeds, derived from the sender's: the same in every
 * world.
 */
export function codecRandom(sender: Random, to: string): Random {
  return sender.stream('codec').stream(to)
}

/** The state of one end of a link, lane by lane. */
class Lanes<End> {
  readonly #ends = new Map<number, End>()
  readonly #create: (name: string) => End

  constructor(create: (name: string) => End) {
    this.#create = create
  }

  /** The end for a lane; undefined when there are too many. */
  of({ kind, field }: Lane): End | undefined {
    const key = 16 * kind + field
    const existing = this.#ends.get(key)
    if (existing !== undefined || this.#ends.size === maxLanes) return existing
    const end = this.#create(`${kind}.${field}`)
    this.#ends.set(key, end)
    return end
  }

  clear(): void {
    this.#ends.clear()
  }
}

/** The sending end of a link on which vectors of several kinds travel; see {@link Encoder}. */
export class LinkEncoder {
  readonly #lanes: Lanes<Encoder>
  readonly #raw: Encoder

  /** @param random - see {@link codecRandom} */
  constructor(codec: Codec, length: number, random: Random) {
    const codecRandomStream = random.stream(codec.name)
    this.#lanes = new Lanes((name) => codec.createEncoder(length, codecRandomStream.stream(name)))
    this.#raw = rawCodec.createEncoder(length, codecRandomStream)
  }

  encode(lane: Lane, values: Float32Array, offset: number, out: Uint8Array): EncodedBody {
    const encoder = values.length === 0 ? undefined : this.#lanes.of(lane)
    return (encoder ?? this.#raw).encode(values, offset, out)
  }

  /** Resets to the initial state: the next body of each range is raw float32, and seeds are drawn again. */
  reset(): void {
    this.#lanes.clear()
  }
}

/** The receiving end; see {@link Decoder}. */
export class LinkDecoder {
  readonly #lanes: Lanes<Decoder>

  constructor(codec: Codec, length: number) {
    this.#lanes = new Lanes(() => codec.createDecoder(length))
  }

  decode(lane: Lane, id: number, bytes: Uint8Array, offset: number, out: Float32Array): string | undefined {
    const decoder = out.length === 0 ? undefined : this.#lanes.of(lane)
    if (decoder !== undefined) return decoder.decode(id, bytes, offset, out)
    if (id === rawCodecId) return decodeRaw(bytes, out)
    return `codec ${id} for an empty vector, or for more than ${maxLanes} kinds of vectors`
  }
}
