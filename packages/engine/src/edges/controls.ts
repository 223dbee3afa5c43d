import type { Envelope, PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { partsPerRound, tagOf } from '../messages/message-buffer.js'
import type { ControlKinds } from './exchanging.js'
import type { Owner } from '../messages/owner.js'
import { type Header, noNumbers, readHeader } from '../messages/header.js'

const empty = new Float32Array(0)

/** A control message. */
export interface Control {
  /** SKIP; otherwise it is WITHDRAW. */
  readonly isSkip: boolean
  readonly tag: number
  readonly header: Header
}

/** The control messages of a channel's exchanges, SKIP and WITHDRAW; each has a tag. X is the message itself. */
export class Controls {
  readonly #owner: Owner
  readonly #kinds: ControlKinds
  readonly #rounds: number

  /** @param rounds - messages have rounds below this */
  constructor(owner: Owner, kinds: ControlKinds, rounds = owner.rounds) {
    this.#owner = owner
    this.#kinds = kinds
    this.#rounds = rounds
  }

  /** Sends a control message. It is lost if the queue is full; a peer that waits for it asks again. */
  send(kind: keyof ControlKinds, to: PeerName, tag: number, numbers = noNumbers): void {
    const [round, part] = [Math.floor(tag / partsPerRound), tag % partsPerRound]
    this.#owner.send(to, { kind: this.#kinds[kind], round, part, numbers, vector: empty })
  }

  /** Decodes a control message; undefined for an invalid one, which is its sender's fault. */
  read(envelope: Envelope<VectorMessage>): Control | undefined {
    const { kind, round, part = 0, field = 0, numbers = [], vector } = envelope.message
    const header = readHeader(numbers)
    const isOne = vector.length === 0 && field === 0 && round < this.#rounds && part < partsPerRound
    if (isOne && header !== undefined && header.offer === undefined)
      return { isSkip: kind === this.#kinds.skip, tag: tagOf({ round, part }), header }
    this.#owner.fabric.reject(envelope, `a malformed control message of round ${round}, part ${part}`)
    return undefined
  }
}
