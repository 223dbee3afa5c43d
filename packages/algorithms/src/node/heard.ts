import type { PeerName } from '@murmuration/core'

/**
 * The last tag under which each sender has said something: a message, or SKIP. Tags only grow and links deliver in order, so that nothing of
 * this tag or one before it is on its way any more. Where an edge goes one way that is all that its receiver can know: it says nothing that is answered.
 */
export class Heard {
  /** Made when something is noted: what comes in its round is not. */
  #tags: Map<PeerName, number> | undefined

  note(from: PeerName, tag: number): void {
    if (this.isPast(from, tag)) return
    this.#tags ??= new Map()
    this.#tags.set(from, tag)
  }

  /** Whether nothing of this tag is to come any more. */
  isPast(from: PeerName, tag: number): boolean {
    return tag <= this.last(from)
  }

  /** The last tag of a sender; −1 for none. */
  last(from: PeerName): number {
    return this.#tags?.get(from) ?? -1
  }

  /** All, to be saved. */
  get all(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#tags ?? [])
  }

  /** A new life says its own. */
  forget(from: PeerName): void {
    this.#tags?.delete(from)
  }
}
