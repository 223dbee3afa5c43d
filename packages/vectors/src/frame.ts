/**
 * The binary frame of `/murmuration/exchange/1`: a fixed header of 32 bytes, then the body. Everything is little-endian.
 *
 * | offset | bytes | field |
 * | --- | --- | --- |
 * | 0 | 4 | magic, the letters `MURM` |
 * | 4 | 1 | version, 1 |
 * | 5 | 1 | kind of message |
 * | 6 | 1 | codec of the body, 0 = raw float32 |
 * | 7 | 1 | zero |
 * | 8 | 4 | round |
 * | 12 | 4 | sequence number of the sender, from 1 |
 * | 16 | 4 | length of the body in bytes |
 * | 20 | 4 | CRC-32 of the body |
 * | 24 | 4 | zero |
 * | 28 | 4 | CRC-32 of the 28 bytes before |
 */
import { crc32 } from 'node:zlib'
import type { VectorMessage } from './message.js'

/** Bytes of the header. */
export const frameHeaderLength = 32

const magic = 0x4d52554d
const version = 1
const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/** How the numbers of a body are written. */
export const codecs = { float32: 0 } as const

/** What a header says. */
export interface FrameHeader {
  readonly kind: number
  readonly codec: number
  readonly round: number
  readonly sequence: number
  /** Bytes of the body. */
  readonly length: number
  readonly checksum: number
}

/** Why bytes are not the frame that was expected. A value, not an exception: what comes from a wire may be anything. */
export type FrameFault = 'magic' | 'version' | 'header-checksum' | 'codec' | 'length' | 'checksum' | 'not-finite'

/** A header, or what is wrong with it. */
export type HeaderResult =
  | { readonly ok: true; readonly header: FrameHeader }
  | { readonly ok: false; readonly fault: FrameFault; readonly detail: string }

/** The elements of `vector` as the bytes of a body: a view, no copy. */
export function bodyOf(vector: Float32Array): Uint8Array {
  if (!littleEndian) throw new Error('this machine is big-endian, and frames are little-endian')
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** The header for `message` with its body as raw float32. */
export function encodeHeader(message: VectorMessage, sequence: number): Uint8Array {
  const body = bodyOf(message.vector)
  const bytes = new Uint8Array(frameHeaderLength)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, magic, true)
  view.setUint8(4, version)
  view.setUint8(5, message.kind)
  view.setUint8(6, codecs.float32)
  view.setUint32(8, message.round, true)
  view.setUint32(12, sequence, true)
  view.setUint32(16, body.byteLength, true)
  view.setUint32(20, crc32(body), true)
  view.setUint32(28, crc32(bytes.subarray(0, 28)), true)
  return bytes
}

/**
 * Reads a header and checks it before anything is allocated for its body.
 *
 * @param bytes - exactly {@link frameHeaderLength} bytes
 * @param bodyLength - the only length that a body may have, from the schema
 */
export function decodeHeader(bytes: Uint8Array, bodyLength: number): HeaderResult {
  const view = new DataView(bytes.buffer, bytes.byteOffset, frameHeaderLength)
  if (view.getUint32(0, true) !== magic) return faulty('magic', 'the bytes do not begin with MURM')
  if (view.getUint8(4) !== version) return faulty('version', `version ${view.getUint8(4)}, this is ${version}`)
  if (view.getUint32(28, true) !== crc32(bytes.subarray(0, 28)))
    return faulty('header-checksum', 'the header is damaged')
  const header: FrameHeader = {
    kind: view.getUint8(5),
    codec: view.getUint8(6),
    round: view.getUint32(8, true),
    sequence: view.getUint32(12, true),
    length: view.getUint32(16, true),
    checksum: view.getUint32(20, true)
  }
  if (header.codec !== codecs.float32) return faulty('codec', `codec ${header.codec} is not known here`)
  if (header.length !== bodyLength) return faulty('length', `a body of ${header.length} bytes, ${bodyLength} expected`)
  return { ok: true, header }
}

function faulty(fault: FrameFault, detail: string): HeaderResult {
  return { ok: false, fault, detail }
}
