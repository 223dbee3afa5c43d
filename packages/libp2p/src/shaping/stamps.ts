import type { Milliseconds } from '@murmuration/core'
import { Uint8ArrayList } from '#platform/libraries/base.js'
import type { Flight } from './flow.js'

/**
 * Between two shaped connections, bytes travel with their intended time of arrival. The receiver's line uses that time,
 * however late timers fire and processes are scheduled. A stamp precedes the bytes that it covers: their number
 * (uint32, little-endian; the highest bit says that they end a hand-over) and the time (float64). Stamps are not
 * shaped.
 */
const stampLength = 12
const endBit = 2 ** 31

/** The flights with their stamps, in one buffer. */
export function stamped(flights: readonly Flight[]): Uint8Array {
  const total = flights.reduce((sum, { bytes }) => sum + stampLength + bytes.byteLength, 0)
  const result = new Uint8Array(total)
  const view = new DataView(result.buffer)
  let offset = 0
  for (const { bytes, due, isEnd } of flights) {
    view.setUint32(offset, bytes.byteLength + (isEnd ? endBit : 0), true)
    view.setFloat64(offset + 4, due, true)
    offset += stampLength
    for (const part of bytes) {
      result.set(part, offset)
      offset += part.byteLength
    }
  }
  return result
}

/** Removes the stamps, however the bytes are split. */
export class StampReader {
  readonly #buffer = new Uint8ArrayList()
  /** Bytes that the last stamp still covers. */
  #left = 0
  #due: Milliseconds = 0
  #isEnd = false

  /** The received bytes, each part with its intended time of arrival. */
  read(data: Uint8Array | Uint8ArrayList): Flight[] {
    this.#buffer.append(data)
    const flights: Flight[] = []
    while (this.#left > 0 || this.#buffer.byteLength >= stampLength) {
      if (this.#left === 0) this.#readStamp()
      const size = Math.min(this.#left, this.#buffer.byteLength)
      if (size === 0) break
      this.#left -= size
      flights.push({ bytes: this.#buffer.sublist(0, size), due: this.#due, isEnd: this.#isEnd && this.#left === 0 })
      this.#buffer.consume(size)
    }
    return flights
  }

  #readStamp(): void {
    const size = this.#buffer.getUint32(0, true)
    this.#isEnd = size >= endBit
    this.#left = size % endBit
    this.#due = this.#buffer.getFloat64(4, true)
    this.#buffer.consume(stampLength)
  }
}
