import type { Random } from '@murmuration/core'

/** The id of raw float32, which any body may be instead of the codec's own form. */
export const rawCodecId = 0

/** A kind of codec: one record, from which files, the handshake, documents and tests follow. */
export interface CodecKind {
  /** In files: `float16`; or `top-k`, followed by a parameter as in `top-k:0.01`. */
  readonly name: string
  /** How the numbers of a body are written, as one byte of the frame's header. */
  readonly id: number
  /** For documents: the content of a body. */
  readonly description: string
  readonly parameter?: CodecParameter
  /** @param parameter - an allowed one; absent where the kind has none */
  create(parameter?: number): Codec
}

/** The number that follows the name of a codec. */
export interface CodecParameter {
  /** Its meaning and its allowed values. */
  readonly description: string
  readonly example: number
  isAllowed(value: number): boolean
}

/**
 * How float32 vectors are written on a link. Everything is little-endian. A body holds a range of the vector, without
 * its length or offset: both sides know them.
 *
 * Whatever the codec, a body may be raw float32 ({@link rawCodecId}). An encoder writes that where its own form would
 * be no shorter, where its format cannot represent a number of the range, and where a number is NaN or infinite, which
 * every decoder refuses.
 *
 * A codec that is `stateful` writes what changed since the *reference*: the vector as the receiver has reconstructed
 * it. Both sides add the same bits to their references, so that what rounding or omission loses is part of the next
 * change, and errors do not add up (Koloskova, Stich and Jaggi, ICML 2019, algorithm 1; Stich et al., NeurIPS 2018).
 * All its bodies have to be decoded, once each, and in order.
 */
export interface Codec {
  /** The name in files, with the parameter. */
  readonly name: string
  /** The id of bodies in the codec's own form. */
  readonly id: number
  /** Whether a body depends on those before it. */
  readonly stateful: boolean
  readonly accuracy: Accuracy
  /** Bytes of a body of `count` numbers in the codec's own form; for top-k the maximum. */
  bytes(count: number): number
  /** The maximum bytes of any body of `count` numbers: those of raw float32. */
  maxBytes(count: number): number
  /**
   * One end of a link, for vectors of `length` numbers. A stateful codec stores one such vector there.
   *
   * @param random - belongs to the link alone: codecs that round at random draw their seeds from it
   */
  createEncoder(length: number, random: Random): Encoder
  createDecoder(length: number): Decoder
}

/** A codec's accuracy for numbers that do not change. */
export interface Accuracy {
  /** The error of a number, in a vector whose largest is 1, after `rounds` transmissions. */
  readonly error: number
  readonly rounds: number
  /**
   * How far apart averaging peers may stay forever, as a fraction of their parameters' norm: caused by rounding each
   * vector anew. Infinity where nothing is promised.
   */
  readonly floor: number
}

/** What remains between peers that average in float32, or by changes whose rounding errors are corrected later. */
export const float32Floor = 1e-5

/** The sending end of a link. */
export interface Encoder {
  /**
   * Writes `values`, the numbers from `offset` on, to the beginning of `out`. Returns the id of the form, and its
   * bytes.
   *
   * @param out - at least `maxBytes(values.length)` bytes, all of which may be overwritten
   */
  encode(values: Float32Array, offset: number, out: Uint8Array): EncodedBody
  /** The receiver restarts: the next body of each range is raw float32, which sets the reference. */
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
   * Reads a whole body into `out`, the numbers from `offset` on. Returns nothing, or, for invalid bytes, a sentence
   * that says what is wrong; then the contents of `out` are finite but meaningless, and a stateful decoder next accepts
   * only raw float32 for this range.
   */
  decode(id: number, bytes: Uint8Array, offset: number, out: Float32Array): string | undefined
  /** The sender restarts: the next body of each range has to be raw float32. */
  reset(): void
}

/** Bytes of `count` numbers as raw float32. */
export const rawBytes = (count: number): number => 4 * count
