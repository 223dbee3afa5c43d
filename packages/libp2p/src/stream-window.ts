import type { Stream } from '@libp2p/interface'
import type { Milliseconds } from '@murmuration/core'

/** As much as may be on its way on a fast link. A frame of yamux can be as large, and is decrypted in one go, behind which others wait. */
export const minWindow = 1 << 20

/** The fastest link that a stream is to be able to fill, in bytes per millisecond: 10 Gbit/s. */
const fastest = 1_250_000

/** What of a round trip is computing on both sides rather than the link, on busy machines. */
const computing: Milliseconds = 5

/** How many bytes a stream should have on its way at most, over a link with this round trip: enough to fill it, and no more. */
export function windowFor(roundTrip: Milliseconds, maxWindow: number): number {
  return Math.min(maxWindow, Math.max(minWindow, Math.ceil(fastest * (roundTrip - computing))))
}

/**
 * Lets the receive window of a stream grow to so many bytes. yamux takes one limit for all streams of a node; a link of its own needs
 * one of its own, and the field is there, though not in its types.
 */
export function limitWindow(stream: Stream, bytes: number): void {
  if ('maxStreamWindowSize' in stream) stream.maxStreamWindowSize = bytes
}
