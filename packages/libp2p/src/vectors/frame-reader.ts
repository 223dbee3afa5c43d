import { allFinite, bodyOf, type Lane, packedId, rawCodecId, readPacked } from '@murmuration/vectors'
import {
  decodeHeader,
  decodeNumbers,
  type FrameFault,
  type FrameHeader,
  frameHeaderLength,
  frameNumbers,
  maxNumbers
} from '@murmuration/wire'
import type { ReceiveFault } from '../base/events.js'
import { copyBytes } from '#platform/vectors/copy-bytes.js'

/** What to do with a new vector. */
export type WriteTarget =
  /** Write it here; the length is that of its header. */
  | { readonly kind: 'into'; readonly vector: Float32Array }
  /** Skip its bytes. */
  | { readonly kind: 'skip' }
  /** It breaks the protocol; nothing more is read. */
  | { readonly kind: 'fault'; readonly fault: ReceiveFault; readonly detail: string }

/** Receives the results of a reader. */
export interface FrameSink {
  /** A vector begins. */
  open(header: FrameHeader): WriteTarget
  /** A vector from `open` is complete. Its bodies and the numbers with it took `bytes`. */
  complete(header: FrameHeader, vector: Float32Array, bytes: number, numbers: readonly number[]): void
  /** A skipped vector has ended. */
  skipped(header: FrameHeader): void
  /** A vector has ended and cannot be used. Later frames can still be read. */
  corrupt(header: FrameHeader, vector: Float32Array, fault: FrameFault, detail: string): void
  /** Nothing more is read, because the start of the next frame is unknown. `vector` is the incomplete vector. */
  readError(fault: ReceiveFault, detail: string, vector: Float32Array | undefined): void
}

/** Decodes the bodies of a neighbour that uses codecs. */
export interface BodyDecoder {
  /** Whether bodies of the codec with this number are allowed. */
  accepts(id: number): boolean
  /** Whether bodies build on earlier ones. */
  readonly stateful: boolean
  /** The most bytes of a body with `count` numbers. */
  maxBytes(count: number): number
  /**
   * Writes the numbers of a body to `out`, which begins at index `offset` of the parameters. Returns an error message
   * when it cannot.
   */
  decode(lane: Lane, id: number, body: Uint8Array, offset: number, out: Float32Array): string | undefined
}

/** Memory for bytes that are not used. */
const unwanted = new Uint8Array(1 << 16)

/** The vector that is being read. */
interface Current {
  readonly first: FrameHeader
  readonly vector: Float32Array | undefined
  /** The numbers with it. */
  readonly numbers: readonly number[]
  /** How many of the vector's numbers are read. */
  next: number
  /** Bytes of its bodies and of the numbers with it. */
  bytes: number
  fault: FrameFault | undefined
  detail: string
}

/**
 * Splits a stream of bytes into frames, however the bytes arrive, and writes their numbers into the sink's vectors. It
 * never throws. It buffers no vectors: numbers go straight into the vector, or for a codec through memory for one
 * frame.
 */
export class FrameReader {
  readonly #sink: FrameSink
  readonly #decoder: BodyDecoder | undefined
  readonly #headerBytes = new Uint8Array(frameHeaderLength + 8 * maxNumbers)
  /** Bytes of the header and the numbers that follow it. */
  #headerLength = frameHeaderLength
  #staging = new Uint8Array(0)
  #current: Current | undefined
  #header: FrameHeader | undefined
  /** Memory for the body's bytes; `undefined` for a skipped one. */
  #body: Uint8Array | undefined
  /** Bytes of the current header or body that have been read. */
  #filled = 0
  #broken = false
  /** Bytes copied so far. */
  copied = 0

  constructor(sink: FrameSink, decoder?: BodyDecoder) {
    this.#sink = sink
    this.#decoder = decoder
  }

  /** Reads the next bytes, and copies them. */
  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.byteLength && !this.#broken;) {
      const { destination } = this
      const count = Math.min(destination.byteLength, bytes.byteLength - at)
      copyBytes(destination, bytes.subarray(at, at + count))
      this.copied += count
      at += count
      this.advance(count)
    }
  }

  /** The memory for the next bytes, at least one. A caller that writes there itself must then call `advance`. */
  get destination(): Uint8Array {
    if (this.#broken) return unwanted
    const header = this.#header
    if (header === undefined) return this.#headerBytes.subarray(this.#filled, this.#headerLength)
    if (this.#body !== undefined) return this.#body.subarray(this.#filled)
    return unwanted.subarray(0, header.bytes - this.#filled)
  }

  /** Continues after `count` bytes that were written to `place`. */
  advance(count: number): void {
    if (this.#broken) return
    this.#filled += count
    const header = this.#header
    if (header === undefined && this.#filled === this.#headerLength) this.#begin()
    else if (header !== undefined && this.#filled === header.bytes) this.#finish(header)
  }

  /** Whether a frame or a vector has begun and not ended. */
  get isWithin(): boolean {
    return this.#filled > 0 || this.#current !== undefined
  }

  /** Reads nothing more. Returns the incomplete vector, if there is one. */
  end(): Float32Array | undefined {
    const vector = this.#current?.vector
    this.#broken = true
    this.#current = undefined
    return vector
  }

  /** A header is complete, or the numbers that follow it are. */
  #begin(): void {
    const result = decodeHeader(this.#headerBytes)
    if (!result.ok) return this.#break(result.fault, result.detail)
    const { header } = result
    const length = frameHeaderLength + 8 * header.numbers
    if (this.#headerLength < length) {
      this.#headerLength = length
      return
    }
    this.#headerLength = frameHeaderLength
    const lengthProblem = this.#lengthProblem(header)
    if (lengthProblem !== undefined) return this.#break(...lengthProblem)
    const current = this.#currentFor(header)
    if (current === undefined) return
    this.#filled = 0
    this.#header = header
    this.#body = this.#destinationOf(header, current)
    if (header.bytes === 0) this.#finish(header)
  }

  /** The vector that a frame belongs to; a new one for a first frame; `undefined` when the frame breaks the stream. */
  #currentFor(header: FrameHeader): Current | undefined {
    const { current, next } = { current: this.#current, next: this.#current?.next ?? 0 }
    if (header.position !== next || (current !== undefined && !belongs(header, current.first))) {
      this.#break('range', `numbers at index ${header.position} of vector ${header.sequence} arrived out of order`)
      return undefined
    }
    if (current !== undefined) return current
    const target = this.#sink.open(header)
    if (target.kind === 'fault') {
      this.#break(target.fault, target.detail)
      return undefined
    }
    this.#current = this.#opened(header, target.kind === 'into' ? target.vector : undefined)
    return this.#current
  }

  #opened(first: FrameHeader, vector: Float32Array | undefined): Current {
    const numbers = decodeNumbers(this.#headerBytes, first.numbers)
    const isFinite = numbers.every(Number.isFinite)
    return {
      first,
      vector,
      numbers,
      next: 0,
      bytes: 8 * numbers.length,
      fault: isFinite ? undefined : 'not-finite',
      detail: isFinite ? '' : 'a number with the vector is NaN or infinite'
    }
  }

  #lengthProblem({ codec, count, bytes }: FrameHeader): [FrameFault, string] | undefined {
    if (codec === rawCodecId) {
      return bytes === 4 * count ? undefined : ['length', `a body of ${bytes} bytes, expected ${4 * count}`]
    }
    if (codec === packedId)
      return bytes < 4 * count
        ? undefined
        : ['length', `a packed body of ${bytes} bytes, expected less than ${4 * count}`]
    if (this.#decoder?.accepts(codec) !== true) {
      return ['codec', `codec ${codec} was not negotiated`]
    }
    const max = this.#decoder.maxBytes(count)
    return bytes <= max ? undefined : ['length', `a body of ${bytes} bytes, expected at most ${max}`]
  }

  #destinationOf({ codec, position, count, bytes }: FrameHeader, { vector }: Current): Uint8Array | undefined {
    if (vector === undefined) return undefined
    if (codec === rawCodecId) return bodyOf(vector.subarray(position, position + count))
    if (this.#staging.byteLength < bytes)
      this.#staging = new Uint8Array(this.#decoder?.maxBytes(frameNumbers) ?? 4 * frameNumbers)
    return this.#staging.subarray(0, bytes)
  }

  /** A body is complete. */
  #finish(header: FrameHeader): void {
    const current = this.#current
    if (current === undefined) return
    if (header.codec === rawCodecId) this.#check(header)
    this.#decode(header, current)
    this.#header = undefined
    this.#body = undefined
    this.#filled = 0
    current.next += header.count
    current.bytes += header.bytes
    if (current.next === header.length) this.#close(current)
  }

  /** Checks the numbers of a raw body while they are in the CPU cache. */
  #check({ position, count }: FrameHeader): void {
    const current = this.#current
    if (current?.vector === undefined || current.fault !== undefined) return
    if (allFinite(current.vector.subarray(position, position + count))) return
    current.fault = 'not-finite'
    current.detail = `one of the numbers ${position} to ${position + count - 1} is NaN or infinite`
  }

  #decode(header: FrameHeader, current: Current): void {
    const { codec, position, count, offset } = header
    if (this.#body === undefined || current.vector === undefined) return
    if (codec === rawCodecId && this.#decoder?.stateful !== true) return
    const out = current.vector.subarray(position, position + count)
    const isPacked = codec === packedId || this.#decoder === undefined
    const problem = isPacked
      ? readPacked(this.#body, out)
      : this.#decoder.decode(header, codec, this.#body, offset + position, out)
    if (problem === undefined || current.fault !== undefined) return
    current.fault = 'body'
    current.detail = problem
  }

  #close({ first, vector, numbers, bytes, fault, detail }: Current): void {
    this.#current = undefined
    if (vector === undefined) return this.#sink.skipped(first)
    if (fault === undefined) this.#sink.complete(first, vector, bytes, numbers)
    else this.#sink.corrupt(first, vector, fault, detail)
  }

  #break(fault: ReceiveFault, detail: string): void {
    const vector = this.#current?.vector
    this.#broken = true
    this.#current = undefined
    this.#sink.readError(fault, detail, vector)
  }
}

/** Whether a frame continues the vector that `first` began. */
function belongs(header: FrameHeader, first: FrameHeader): boolean {
  const fields = ['kind', 'round', 'sequence', 'part', 'epoch', 'field', 'offset', 'length'] as const
  return fields.every((field) => header[field] === first[field])
}
