import type { Stream } from '@libp2p/interface'
import type { Milliseconds } from '@murmuration/core'
import type { Limits } from '../base/constants.js'

/**
 * The window of a fast link. A yamux frame can be as large as the window, and the decryption of one frame delays other
 * messages.
 */
export const minWindow = 1 << 20

/** The fastest link that a stream must be able to fill, in bytes per millisecond: 10 Gbit/s. */
const fastest = 1_250_000

/** The part of a round trip that is computation on both sides, on busy machines. */
const computing: Milliseconds = 5

/**
 * The most bytes that a stream should have in flight over a link with this round trip: enough to fill it, and no more.
 */
export function windowFor(roundTrip: Milliseconds, maxWindow: number): number {
  return Math.min(maxWindow, Math.max(minWindow, Math.ceil(fastest * (roundTrip - computing))))
}

/**
 * Lets the receive window of a stream grow up to `bytes`. yamux has one limit for all streams of a node, but each link
 * needs a different one. The field exists, though not in yamux's types.
 */
export function limitWindow(stream: Stream, bytes: number): void {
  if ('maxStreamWindowSize' in stream) stream.maxStreamWindowSize = bytes
}

/**
 * The most bytes that a stream should have in flight from the beginning: as many vectors as a neighbour may send
 * without an acknowledgement, at most `minWindow`. yamux begins with 256 KiB, and what is longer waits for an update of
 * the window: a round trip, and the time of the vectors before it on the way back.
 */
export function firstWindow(elements: number, { window, streamWindow }: Limits): number {
  return Math.min(streamWindow, minWindow, window * elements * Float32Array.BYTES_PER_ELEMENT)
}

/**
 * Makes the receive window of a stream at least `bytes`, and tells the sender. The field and the method exist, though
 * not in yamux's types.
 */
export function widenWindow(stream: Stream, bytes: number): void {
  if (!('recvWindow' in stream && 'sendWindowUpdate' in stream)) return
  if (typeof stream.recvWindow !== 'number' || typeof stream.sendWindowUpdate !== 'function') return
  if (stream.recvWindow >= bytes) return
  stream.recvWindow = bytes
  stream.sendWindowUpdate()
}
