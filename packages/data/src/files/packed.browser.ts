/** What packed.ts has, for a page. */
import { Inflate } from 'fflate'
import { concatenated } from './bytes.js'
import { TooLongError } from './too-long.js'

/** How much is decoded or unpacked at a time: unpacked, it may be a thousand times as much. */
const blockBytes = 2 ** 15

export function isUtf8(bytes: Uint8Array): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for (let at = 0; at < bytes.length; at += blockBytes)
      decoder.decode(bytes.subarray(at, at + blockBytes), { stream: true })
    decoder.decode()
    return true
  } catch {
    return false
  }
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

export function textIn(bytes: Uint8Array, start: number = 0, end: number = bytes.length): string {
  return utf8.decode(bytes.subarray(start, end))
}

export async function unpacked(packed: Uint8Array, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of gunzip(packed)) {
    length += part.length
    if (length > limit) throw new TooLongError()
    parts.push(part)
  }
  return concatenated(parts)
}

export async function unpackedHead(head: Uint8Array): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  try {
    for await (const part of gunzip(head)) parts.push(part)
  } catch {
    // It ends within the packed data.
  }
  return concatenated(parts)
}

async function* gunzip(packed: Uint8Array): AsyncGenerator<Uint8Array> {
  const stream = new Blob([packed.slice()]).stream().pipeThrough(new DecompressionStream('gzip'))
  const reader = stream.getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    await reader.cancel().catch(() => {})
  }
}

export function inflated(packed: Uint8Array, _expected: number, limit: number): Uint8Array {
  const parts: Uint8Array[] = []
  let length = 0
  const inflate = new Inflate((part) => {
    length += part.length
    if (length > limit) throw new TooLongError()
    parts.push(part)
  })
  for (let at = 0; at < packed.length; at += blockBytes)
    inflate.push(packed.subarray(at, at + blockBytes), at + blockBytes >= packed.length)
  return concatenated(parts)
}
