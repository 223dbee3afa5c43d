import { crc32 } from 'node:zlib'
import {
  allFinite,
  bodyOf,
  decodeHeader,
  type FrameFault,
  type FrameHeader,
  frameHeaderLength
} from '@murmuration/vectors'
import { VectorPool } from './vector-pool.js'

/** What came out of the bytes: a whole and sound frame, or what was wrong. */
export type FrameOutcome =
  | { readonly kind: 'frame'; readonly header: FrameHeader; readonly vector: Float32Array }
  /** The body is unusable but its length was right, so that the next frame can be read. */
  | { readonly kind: 'bad-body'; readonly header: FrameHeader; readonly fault: FrameFault }
  /** Where the next frame begins is not known: nothing more is read. */
  | { readonly kind: 'bad-header'; readonly fault: FrameFault; readonly detail: string }

/**
 * Cuts a stream of bytes into frames, however the bytes are split. It never throws, and allocates nothing before a
 * header has been checked.
 */
export class FrameReader {
  readonly #elements: number
  readonly #pool: VectorPool
  readonly #headerBytes = new Uint8Array(frameHeaderLength)
  #vector: Float32Array | undefined
  #header: FrameHeader | undefined
  /** Bytes of the current header or body that have come. */
  #filled = 0
  #broken = false
  /** CRC-32 of the part of the body that has come. */
  #checksum = 0
  /** Whether the numbers that have come whole are finite. */
  #finite = true

  /**
   * @param elements - how many numbers every vector has
   * @param pool - where vectors to receive into come from
   */
  constructor(elements: number, pool = new VectorPool(elements)) {
    this.#elements = elements
    this.#pool = pool
  }

  /** Takes the next bytes and returns the frames that they complete. The bytes are copied. */
  push(bytes: Uint8Array): FrameOutcome[] {
    const outcomes: FrameOutcome[] = []
    let rest = bytes
    while (rest.byteLength > 0 && !this.#broken) {
      rest = rest.subarray(this.#fill(rest))
      const outcome = this.#complete()
      if (outcome !== undefined) outcomes.push(outcome)
    }
    return outcomes
  }

  #fill(bytes: Uint8Array): number {
    const target = this.#header === undefined ? this.#headerBytes : bodyOf(this.#body())
    const taken = bytes.subarray(0, target.byteLength - this.#filled)
    target.set(taken, this.#filled)
    if (this.#header !== undefined) this.#check(taken)
    this.#filled += taken.byteLength
    return taken.byteLength
  }

  /** Checks a body piece by piece, while it is in the cache, instead of stalling the thread at the end of a large one. */
  #check(piece: Uint8Array): void {
    const [from, to] = [this.#filled >> 2, (this.#filled + piece.byteLength) >> 2]
    this.#checksum = crc32(piece, this.#checksum)
    this.#finite &&= allFinite(this.#body().subarray(from, to))
  }

  #complete(): FrameOutcome | undefined {
    if (this.#header === undefined) {
      if (this.#filled < frameHeaderLength) return undefined
      const bad = this.#readHeader()
      // A body without bytes is complete as soon as its header is.
      if (bad !== undefined || this.#elements > 0) return bad
    }
    return this.#filled < 4 * this.#elements ? undefined : this.#readBody()
  }

  #readHeader(): FrameOutcome | undefined {
    const result = decodeHeader(this.#headerBytes, 4 * this.#elements)
    this.#filled = 0
    if (result.ok) {
      this.#header = result.header
      this.#checksum = 0
      this.#finite = true
      return undefined
    }
    this.#broken = true
    return { kind: 'bad-header', fault: result.fault, detail: result.detail }
  }

  #readBody(): FrameOutcome | undefined {
    const header = this.#header
    if (header === undefined) return undefined
    const vector = this.#body()
    this.#header = undefined
    this.#filled = 0
    if (this.#checksum !== header.checksum) return { kind: 'bad-body', header, fault: 'checksum' }
    if (!this.#finite) return { kind: 'bad-body', header, fault: 'not-finite' }
    this.#vector = undefined
    return { kind: 'frame', header, vector }
  }

  /** The vector that is being filled. One that goes out belongs to the algorithm, which may keep it; a bad one is used again. */
  #body(): Float32Array {
    this.#vector ??= this.#pool.take()
    return this.#vector
  }
}
