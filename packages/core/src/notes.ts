import { invariant } from './errors.js'
import type { PeerName } from './names.js'

/** The longest note, in bytes of UTF-8. */
export const maxNoteBytes = 1 << 16

/** The room that a note of `bytes` takes in a queue: 1 for each KiB, at least 1. */
export function noteWeight(bytes: number): number {
  return Math.max(1, bytes / 1024)
}

/** The total weight of queued notes to one peer, at most. */
export const noteRoom = 512

const encoder = new TextEncoder()
const room = new Uint8Array(maxNoteBytes)

/** The length of a note in bytes of UTF-8. Throws an InvariantError for one that is too long. */
export function noteBytes(note: string): number {
  const { read, written } = encoder.encodeInto(note, room)
  invariant(read === note.length, () => {
    const { byteLength } = encoder.encode(note)
    return `a note has ${byteLength} bytes, expected at most ${maxNoteBytes}`
  })
  return written
}

/**
 * Is notified at once of what other peers and servers of the run send, even while its own peer computes or waits. It
 * must not wait.
 */
export interface NoteListener {
  /**
   * A note has arrived; its content is unchecked. A returned text says what is wrong with it: this is a fault of the
   * sender, counted like a rejected message.
   */
  note(from: PeerName, note: string): string | void
  /** Anything has arrived from this peer: a note, a vector or a part of one, a sign of life. */
  heard(from: PeerName): void
  /**
   * This peer is not connected to `peer`, and the machine of `peer` has refused two calls in a row: no process of it
   * runs there, not yet or no longer. Repeated now and then while that lasts and calls are tried.
   */
  refused(peer: PeerName): void
}
