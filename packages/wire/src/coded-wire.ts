import type { LinkWire, PeerName, Random, Wire } from '@murmuration/core'
import { codecRandom, LinkDecoder, LinkEncoder, parseCodec, rawCodecId } from '@murmuration/vectors'
import { frameHeaderLength, frameNumbers, framesOf } from './frame.js'
import { checkHead, numberBytes, packedLength, type VectorMessage } from './message.js'

/** How vectors are encoded on links. */
export interface Coding {
  /** The name of a codec. Not `auto`, which chooses by the measured speed of real links. */
  readonly codec: string
  /** How many numbers the parameters have. */
  readonly elements: number
  /** The random numbers of a peer's fabric: they seed its codecs. */
  readonly random: (peer: PeerName) => Random
}

/**
 * `wire` with vectors in a codec: byte counts and received numbers are those of real links, frame by frame, with an
 * encoder and a decoder per connection. A message that a world loses is lost after the decoder, so that encoder and
 * decoder keep the same state, as on a stream.
 *
 * Throws an InputError for an unknown codec.
 */
export function codedWire<W extends Wire<VectorMessage>>(wire: W, coding: Coding): W {
  const codec = parseCodec(coding.codec)
  if (codec.id === rawCodecId) return wire
  const out = new Uint8Array(codec.maxBytes(frameNumbers))
  const link = (from: PeerName, to: PeerName): LinkWire<VectorMessage> => {
    const encoder = new LinkEncoder(codec, coding.elements, codecRandom(coding.random(from), to))
    return new CodedLink(wire, encoder, new LinkDecoder(codec, coding.elements), out)
  }
  return { ...wire, link }
}

/** Both ends of a link. */
class CodedLink implements LinkWire<VectorMessage> {
  readonly #wire: Wire<VectorMessage>
  readonly #encoder: LinkEncoder
  readonly #decoder: LinkDecoder
  readonly #out: Uint8Array
  /** Bytes of the bodies of the last copied vector. */
  #bodies = 0
  #epoch = 0

  constructor(wire: Wire<VectorMessage>, encoder: LinkEncoder, decoder: LinkDecoder, out: Uint8Array) {
    this.#wire = wire
    this.#encoder = encoder
    this.#decoder = decoder
    this.#out = out
  }

  byteLength(message: VectorMessage): number {
    checkHead(message)
    return framesOf(message.vector.length) * frameHeaderLength + this.payloadLength(message)
  }

  payloadLength({ numbers }: VectorMessage): number {
    return numberBytes(numbers) + this.#bodies
  }

  copy(message: VectorMessage): VectorMessage {
    const copy = this.#wire.copy(message)
    const lane = { kind: message.kind, field: message.field ?? 0 }
    const { epoch = 0, offset = 0, vector } = message
    if (message.startsAnew || epoch !== this.#epoch) this.#encoder.reset()
    this.#epoch = epoch
    this.#bodies = message.packed ? packedLength(vector) : 0
    if (message.packed) return copy
    for (let start = 0; start < vector.length; start += frameNumbers) {
      const values = vector.subarray(start, start + frameNumbers)
      const { id, bytes } = this.#encoder.encode(lane, values, offset + start, this.#out)
      const body = this.#out.subarray(0, bytes)
      // Non-finite numbers arrive unchanged, as without a codec: the algorithm detects them.
      this.#decoder.decode(lane, id, body, offset + start, copy.vector.subarray(start, start + frameNumbers))
      this.#bodies += bytes
    }
    return copy
  }
}
