import type { PeerName } from '@murmuration/core'

/**
 * The last tag under which each sender has sent a message or SKIP. Tags only grow and links deliver in order, so
 * nothing of this tag or an earlier one is still in flight. On a one-way edge the receiver knows no more than this,
 * since it sends nothing that is answered.
 */
export class LastTags {
  /** Created by the first note: messages that arrive in their round are not noted. */
  #tags: Map<PeerName, number> | undefined

  note(from: PeerName, tag: number): void {
    if (this.isPast(from, tag)) return
    this.#tags ??= new Map()
    this.#tags.set(from, tag)
  }

  /** Whether nothing more of this tag will arrive. */
  isPast(from: PeerName, tag: number): boolean {
    return tag <= this.last(from)
  }

  /** The last tag of a sender; −1 if none. */
  last(from: PeerName): number {
    return this.#tags?.get(from) ?? -1
  }

  /** All tags, to be saved. */
  get all(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#tags ?? [])
  }

  /** A new life has its own tags. */
  forget(from: PeerName): void {
    this.#tags?.delete(from)
  }
}
