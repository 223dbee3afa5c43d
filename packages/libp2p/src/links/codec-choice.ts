import type { Random } from '@murmuration/core'
import {
  bodyOf,
  type Codec,
  type EncodedBody,
  isCodec,
  type Lane,
  LinkDecoder,
  LinkEncoder,
  parseCodec,
  rawCodecId
} from '@murmuration/vectors'
import type { BodyEncoder } from './exchange-writer.js'
import type { BodyDecoder } from '../vectors/frame-reader.js'
import type { LinkSpeed } from '../vectors/link-speed.js'

/** The choices of `auto`, the most exact first. Raw float32 needs no codec and comes before them. */
const ladder = ['float16', 'delta-int8'].map(parseCodec)

/**
 * The codecs that this choice allows a peer to write in: several for `auto`. Throws an InputError for an unknown codec.
 */
export function chosenCodecs(name: string): readonly Codec[] {
  return name === 'auto' ? ladder : [parseCodec(name)]
}

/** The fraction of a round that sending a vector may take before `auto` chooses a coarser codec. */
const fractionOfRound = 0.5

/**
 * The codecs in which a peer writes its vectors. The handshake negotiates them for each direction of each link: the
 * sender names the codecs that it wants, and the receiver answers with those that it can read.
 */
export class CodecChoice {
  /** The codecs that this peer wants to write in, by name; none for raw float32. */
  readonly wanted: readonly string[]

  /** @param name - of a codec, or `auto`. Throws an InputError for any other. */
  constructor(name: string) {
    const codecs = chosenCodecs(name).filter(({ id }) => id !== rawCodecId)
    this.wanted = codecs.map((codec) => codec.name)
  }

  /** Those of a neighbour's codecs that this peer can read. */
  agreed(theirs: readonly string[]): readonly string[] {
    return theirs.filter(isCodec)
  }

  /**
   * The encoder for a neighbour that accepts these codecs; `undefined` for raw float32.
   *
   * @param random - see `codecRandom`
   */
  encoderFor(agreed: readonly string[], length: number, random: Random, speed: LinkSpeed): BodyEncoder | undefined {
    const codecs = this.wanted.filter((name) => agreed.includes(name)).map(parseCodec)
    const encoders = codecs.map((codec) => ({ codec, encoder: new LinkEncoder(codec, length, random) }))
    if (encoders.length === 0) return undefined
    const [only] = encoders
    if (this.wanted.length > 1) return new AutoEncoder(encoders, length, speed)
    return {
      maxBytes: (count) => only.codec.maxBytes(count),
      encode: (lane, values, offset, out) => only.encoder.encode(lane, values, offset, out),
      reset: () => only.encoder.reset()
    }
  }
}

/** The decoder for a neighbour that writes in these codecs; `undefined` for raw float32. */
export function decoderOf(names: readonly string[], length: number): BodyDecoder | undefined {
  if (names.length === 0) return undefined
  const codecs = names.map(parseCodec)
  const decoders = new Map(codecs.map((codec) => [codec.id, new LinkDecoder(codec, length)]))
  const stateful = codecs.filter((codec) => codec.stateful).map((codec) => decoders.get(codec.id))
  return {
    stateful: stateful.length > 0,
    accepts: (id) => decoders.has(id),
    maxBytes: (count) => Math.max(...codecs.map((codec) => codec.maxBytes(count))),
    decode(lane, id, body, offset, out) {
      if (decoders.has(id)) return decoders.get(id)?.decode(lane, id, body, offset, out)
      // Later bodies build on a raw body.
      for (const decoder of stateful) {
        const problem = decoder?.decode(lane, id, body, offset, out)
        if (problem !== undefined) return problem
      }
      return undefined
    }
  }
}

interface CodecCandidate {
  readonly codec: Codec
  readonly encoder: LinkEncoder
}

/**
 * Writes in the most exact codec with which, at the measured speed, sending takes at most {@link fractionOfRound} of a
 * round.
 */
class AutoEncoder implements BodyEncoder {
  readonly #candidates: readonly CodecCandidate[]
  readonly #length: number
  readonly #speed: LinkSpeed
  #current: CodecCandidate | undefined

  constructor(candidates: readonly CodecCandidate[], length: number, speed: LinkSpeed) {
    this.#candidates = candidates
    this.#length = length
    this.#speed = speed
  }

  maxBytes(count: number): number {
    return Math.max(4 * count, ...this.#candidates.map(({ codec }) => codec.maxBytes(count)))
  }

  encode(lane: Lane, values: Float32Array, offset: number, out: Uint8Array): EncodedBody {
    if (offset === 0) this.#choose()
    if (this.#current !== undefined) return this.#current.encoder.encode(lane, values, offset, out)
    out.set(bodyOf(values))
    return { id: rawCodecId, bytes: values.byteLength }
  }

  reset(): void {
    this.#current?.encoder.reset()
  }

  /** Changes the codec between whole vectors. A new stateful codec starts over. */
  #choose(): void {
    const fits = ({ codec }: CodecCandidate) => this.#speed.timeFor(codec.bytes(this.#length)) <= this.#budget()
    const raw = this.#speed.timeFor(4 * this.#length) <= this.#budget()
    const next = raw ? undefined : (this.#candidates.find(fits) ?? this.#candidates.at(-1))
    if (next === this.#current) return
    this.#current = next
    next?.encoder.reset()
  }

  #budget(): number {
    return fractionOfRound * this.#speed.period
  }
}
