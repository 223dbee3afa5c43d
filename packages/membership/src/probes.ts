import type { PeerName, Random } from '@murmuration/core'
import type { AddressedNote, ProbeNote } from './notes.js'
import { pongText, type Signer } from './records.js'
import { sign } from './signing.js'

/** How many others are asked to reach a suspected peer. */
const helperCount = 3
/** How many notes wait to be taken; further ones are dropped. */
const maxWaiting = 256

/**
 * Asks others to reach a suspected peer, and helps those that ask. The suspected peer signs the answer, so that no peer
 * can vouch falsely.
 */
export class Probes {
  readonly #self: PeerName
  readonly #signer: Signer
  readonly #random: Random
  /** The number that the next answer of a peer has to sign. */
  readonly #nonces = new Map<PeerName, number>()
  readonly #onLate: () => void
  #waiting: AddressedNote[] = []

  /** @param onLate - called when an answer has been signed after `receive` */
  constructor(self: PeerName, signer: Signer, random: Random, onLate = () => {}) {
    this.#self = self
    this.#onLate = onLate
    this.#signer = signer
    this.#random = random
  }

  /** Asks three of `helpers` to reach a peer. */
  ask(target: PeerName, helpers: readonly PeerName[]): void {
    const nonce = this.#nonces.get(target) ?? this.#random.integer(2 ** 32)
    this.#nonces.set(target, nonce)
    for (const helper of this.#random.shuffle(helpers).slice(0, helperCount)) {
      this.#send(helper, { kind: 'probe', target, nonce })
    }
  }

  /** Answers no longer count: the peer was heard. */
  end(target: PeerName): void {
    this.#nonces.delete(target)
  }

  /** Handles a note. Returns the peer that is vouched for, or what is wrong. */
  receive(from: PeerName, note: ProbeNote): { readonly vouched?: PeerName; readonly fault?: string } {
    switch (note.kind) {
      case 'probe':
        this.#send(note.target, { kind: 'ping', asker: from, nonce: note.nonce })
        return {}
      case 'ping': {
        const { asker, nonce } = note
        const answer = (signature: string) => this.#send(from, { kind: 'pong', asker, nonce, signature })
        sign(this.#signer, pongText(this.#self, asker, nonce), answer, this.#onLate)
        return {}
      }
      case 'pong':
        this.#send(note.asker, { kind: 'vouch', target: from, nonce: note.nonce, signature: note.signature })
        return {}
      case 'vouch':
        return this.#vouched(note.target, note.nonce, note.signature)
    }
  }

  take(): AddressedNote[] {
    const notes = this.#waiting
    this.#waiting = []
    return notes
  }

  #vouched(target: PeerName, nonce: number, signature: string) {
    if (this.#nonces.get(target) !== nonce) return {}
    if (!this.#signer.verify(target, pongText(target, this.#self, nonce), signature))
      return { fault: `vouches for ${target} with a forged signature` }
    // The next answer must refer to a new question.
    this.#nonces.delete(target)
    return { vouched: target }
  }

  #send(to: PeerName, note: ProbeNote) {
    if (to !== this.#self && this.#waiting.length < maxWaiting) this.#waiting.push({ to, note: JSON.stringify(note) })
  }
}
