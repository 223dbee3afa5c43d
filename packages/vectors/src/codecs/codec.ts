import type { Random } from '@murmuration/core'

/** What every body may be in place of the codec's own form: raw float32. */
export const rawCodecId = 0

/** A kind of codec: one record, from which files, the handshake, documents and tests follow. */
export interface CodecKind {
  /** In files: `float16`, or `top-k`, which a parameter follows as in `top-k:0.01`. */
  readonly name: string
  /** How the numbers of a body are written, as one byte of the frame's header. */
  readonly id: number
  /** For documents: what a body holds. */
  readonly description: string
  readonly parameter?: CodecParameter
  /** @param parameter - is allowed; absent where the kind has none */
  create(parameter?: number): Codec
}

/** The number that follows the name of a codec. */
export interface CodecParameter {
  /** What it is and may be. */
  readonly description: string
  readonly example: number
  isAllowed(value: number): boolean
}

/**
 * How float32 vectors are written on a link. Everything is little-endian. A body holds a range of the
 * vector, and says nothing of its length or offset: both sides know them.
 *
 * Whatever the codec, a body may be raw float32 ({@link rawCodecId}): an encoder writes that where its own form would be no
 * shorter, where it has no number near one of the range, and where a number is NaN or infinite, which every decoder refuses.
 *
 * A codec that is `stateful` writes what changed since the *reference*: the vector as the far side has reconstructed it. Both sides
 * add the same bits to their references, so that what rounding or leaving out keeps back is part of the next
 * change, and errors do not add up (Koloskova, Stich and Jaggi, ICML 2019, algorithm 1; Stich et al., NeurIPS 2018). Its
 * bodies have to be decoded all, once each, and in order.
 */
export interface Codec {
  /** As in files, with its parameter. */
  readonly name: string
  /** Of the bodies in the codec's own form. */
  readonly id: number
  /** Whether a body depends on those before it. */
  readonly stateful: boolean
  readonly accuracy: Accuracy
  /** Bytes of a body of `count` numbers in the codec's own form; of top-k the most that they can be. */
  bytes(count: number): number
  /** Bytes that no body of `count` numbers is longer than: those of raw float32. */
  maxBytes(count: number): number
  /**
   * One end of a link, for vectors of `length` numbers. A stateful codec keeps one such vector there.
   *
   * @param random - of the link alone: codecs that round at random draw their seeds from it
   */
  createEncoder(length: number, random: Random): Encoder
  createDecoder(length: number): Decoder
}

/** What a codec promises of numbers that stand still. */
export interface Accuracy {
  /** How far a number is off, of a vector whose largest is 1, once it was sent `rounds` times. */
  readonly error: number
  readonly rounds: number
  /**
   * How far apart peers may stay that average without end, as a fraction of their parameters' norm: what rounding each vector anew leaves.
   * Infinity where nothing is promised.
   */
  readonly floor: number
}

/** What remains between peers that average in float32, or by changes whose rounding is made up for later. */
export const float32Floor = 1e-5

/** The sending end of a link. */
export interface Encoder {
  /**
   * Writes `values`, which are the numbers from `offset` on, to the beginning of `out`. Returns what the body is, and its bytes.
   *
   * @param out - at least `maxBytes(values.length)` bytes, all of which may be overwritten
   */
  encode(values: Float32Array, offset: number, out: Uint8Array): EncodedBody
  /** The receiver starts anew: the next body of each range is raw float32, which sets the reference. */
  reset(): void
}

/** What an {@link Encoder} wrote. */
export interface EncodedBody {
  readonly id: number
  readonly bytes: number
}

/** The receiving end of a link. */
export interface Decoder {
  /**
   * Reads a whole body into `out`, the numbers from `offset` on. Returns nothing, or a sentence that says what is wrong, whatever
   * the bytes are; then `out` holds finite numbers that mean nothing, and a stateful decoder takes nothing but raw float32 next
   * for this range.
   */
  decode(id: number, bytes: Uint8Array, offset: number, out: Float32Array): string | undefined
  /** The sender starts anew: the next body of each range has to be raw float32. */
  reset(): void
}

/** Bytes of `count` numbers as raw float32. */
export const rawBytes = (count: number): number => 4 * count
