import { invariant } from './errors.js'
import type { PeerName } from './names.js'

/** The longest note, in bytes of UTF-8. */
export const maxNoteBytes = 1 << 16

/** How much of a queue of notes is taken by one of `bytes`: 1 for each KiB, at least 1. */
export function noteWeight(bytes: number): number {
  return Math.max(1, bytes / 1024)
}

/** The weight of the notes to one peer for which there is room. */
export const noteRoom = 512

const encoder = new TextEncoder()
const room = new Uint8Array(maxNoteBytes)

/** The length of a note in bytes of UTF-8. Throws an InvariantError for one that is too long. */
export function noteBytes(note: string): number {
  const { read, written } = encoder.encodeInto(note, room)
  invariant(read === note.length, () => {
    const { byteLength } = encoder.encode(note)
    return `a note has ${byteLength} bytes; at most ${maxNoteBytes} are told`
  })
  return written
}

/** Hears from other peers and servers of the run, at once: also while its own peer computes, or waits for something else. It must not wait. */
export interface NoteListener {
  /**
   * A note has come. What it says is not checked. A result in words says what is wrong with it: that is the sender's fault, counted against it as a
   * message that is rejected is.
   */
  note(from: PeerName, note: string): string | void
  /** Anything at all has come from this peer: a note, a vector or a part of one, a sign of life. */
  heard(from: PeerName): void
  /**
   * This peer is not connected to `peer`, whose machine has refused to be called twice in a row: no process of it is there, not yet or not any more.
   * Said again now and then while that is so and somebody calls.
   */
  refused(peer: PeerName): void
}
