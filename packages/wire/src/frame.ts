/**
 * The binary frame of `/murmuration/exchange/3`: a fixed header of 40 bytes, the numbers that travel with the vector,
 * then the body. Everything is little-endian. A vector travels as one or several frames. Each frame fills a range of
 * the vector in the receiver's memory. The numbers with the vector are float64 and in its first frame.
 *
 * | offset | bytes | field |
 * | --- | --- | --- |
 * | 0 | 4 | magic, the letters `MURM` |
 * | 4 | 1 | version, 3 |
 * | 5 | 1 | index of the vector in its message (the low 4 bits), and count of the numbers with it (the high 4 bits) |
 * | 6 | 1 | codec of the body |
 * | 7 | 1 | kind of message |
 * | 8 | 4 | round |
 * | 12 | 4 | sequence number of the vector, from 1 |
 * | 16 | 2 | part, which distinguishes messages of one kind and round |
 * | 18 | 2 | epoch of the run, modulo 65,536 |
 * | 20 | 4 | index of the vector's first number in the parameters |
 * | 24 | 4 | length of the vector in numbers |
 * | 28 | 4 | index of the body's first number in the vector |
 * | 32 | 4 | length of the body in numbers |
 * | 36 | 4 | length of the body in bytes |
 *
 * There is no checksum: the stream is encrypted, and the cipher's tag covers each byte.
 */

/** Bytes of the header. */
export const frameHeaderLength = 40

/** The most numbers that travel with a vector. */
export const maxNumbers = 15

/** The highest index of a vector in its message. */
export const maxField = 15

/** The highest part. */
export const maxPart = 65_535

/** The highest epoch in a frame. */
export const maxEpoch = 65_535

/**
 * The most numbers in the body of a frame: 256 KiB of float32. Larger bodies are no faster and delay the control
 * messages behind them; smaller ones cost more.
 */
export const frameNumbers = 1 << 16

/** How many frames a vector of `length` numbers travels in: at least one. */
export function framesOf(length: number): number {
  return Math.max(1, Math.ceil(length / frameNumbers))
}

const magic = 0x4d52554d
const version = 3

/** The fields of a header. */
export interface FrameHeader {
  readonly codec: number
  readonly kind: number
  readonly round: number
  readonly sequence: number
  readonly part: number
  /** The epoch of the run in which the vector was sent, modulo 65,536. */
  readonly epoch: number
  /** The index of the vector in its message. */
  readonly field: number
  /** The count of the numbers with the vector, between header and body. */
  readonly numbers: number
  /** The index of the vector's first number in the parameters. */
  readonly offset: number
  /** Length of the vector in numbers. */
  readonly length: number
  /** The index of the body's first number in the vector. */
  readonly position: number
  /** Length of the body in numbers. */
  readonly count: number
  /** Bytes of the body. */
  readonly bytes: number
}

/** Why bytes are not the expected frame. A value, not an exception: a wire may deliver any bytes. */
export type FrameFault = 'magic' | 'version' | 'range' | 'codec' | 'length' | 'body' | 'not-finite'

/** A header, or what is wrong with it. */
export type HeaderResult =
  | { readonly ok: true; readonly header: FrameHeader }
  | { readonly ok: false; readonly fault: FrameFault; readonly detail: string }

/** A header in which an absent part, epoch, field or count of numbers means 0. */
export type FrameFields = Omit<FrameHeader, 'part' | 'epoch' | 'field' | 'numbers'> &
  Partial<Pick<FrameHeader, 'part' | 'epoch' | 'field'>>

/** The header as bytes, with the numbers that follow it. */
export function encodeHeader(header: FrameFields, numbers: readonly number[] = []): Uint8Array {
  const bytes = new Uint8Array(frameHeaderLength + 8 * numbers.length)
  const view = new DataView(bytes.buffer)
  const { codec, kind, round, sequence, part = 0, epoch = 0, field = 0, offset, length, position, count } = header
  view.setUint32(0, magic, true)
  view.setUint8(4, version)
  view.setUint8(5, field | (numbers.length << 4))
  view.setUint8(6, codec)
  view.setUint8(7, kind)
  const words = [round, sequence, part | (epoch << 16), offset, length, position, count, header.bytes]
  for (const [index, word] of words.entries()) view.setUint32(8 + 4 * index, word, true)
  for (const [index, number] of numbers.entries()) view.setFloat64(frameHeaderLength + 8 * index, number, true)
  return bytes
}

/** The `count` numbers that follow a header. */
export function decodeNumbers(bytes: Uint8Array, count: number): readonly number[] {
  if (count === 0) return none
  const view = new DataView(bytes.buffer, bytes.byteOffset + frameHeaderLength, 8 * count)
  return Array.from({ length: count }, (_, index) => view.getFloat64(8 * index, true))
}

const none: readonly number[] = []

/**
 * Reads a header and checks that its fields are consistent. Checks that depend on the sender, such as the sequence
 * number and the longest vector, are not done here.
 *
 * @param bytes - {@link frameHeaderLength} bytes at least
 */
export function decodeHeader(bytes: Uint8Array): HeaderResult {
  const view = new DataView(bytes.buffer, bytes.byteOffset, frameHeaderLength)
  const word = (index: number) => view.getUint32(8 + 4 * index, true)
  if (view.getUint32(0, true) !== magic) return faulty('magic', 'the bytes do not begin with MURM')
  if (view.getUint8(4) !== version) return faulty('version', `version ${view.getUint8(4)}, expected ${version}`)
  const header: FrameHeader = {
    codec: view.getUint8(6),
    kind: view.getUint8(7),
    round: word(0),
    sequence: word(1),
    part: word(2) & maxPart,
    epoch: word(2) >>> 16,
    field: view.getUint8(5) & maxField,
    numbers: view.getUint8(5) >> 4,
    offset: word(3),
    length: word(4),
    position: word(5),
    count: word(6),
    bytes: word(7)
  }
  const { length, position, count, numbers } = header
  if (count > frameNumbers) return faulty('range', `${count} numbers in one frame, expected at most ${frameNumbers}`)
  if (numbers > 0 && position > 0)
    return faulty('range', `${numbers} numbers in a later frame of a vector, expected none`)
  if (position + count > length || (count === 0 && length > 0)) {
    return faulty('range', `${count} numbers at index ${position} of a vector of ${length}`)
  }
  return { ok: true, header }
}

function faulty(fault: FrameFault, detail: string): HeaderResult {
  return { ok: false, fault, detail }
}
