import type { PeerName } from '@murmuration/core'
import { allFinite, checksumOf } from '@murmuration/vectors'
import type { Call } from '../record.js'
import { type Answer, Caller } from './caller.js'
import type { Accept, Peer } from './peer.js'
import { isVector, type Vector } from './vector.js'

/** What another peer goes on from: the model of a peer at the begin of a round. */
export interface ModelState {
  readonly x: Vector
  readonly round: number
}

/** A codec's rounding, or what it left out, would stay: so the model travels bit by bit. */
const call: Call = { ask: {}, reply: { x: 'packed', round: 'number', checksum: 'number' } }

/** Gives one's own model to peers that are behind, and asks others for theirs. */
export class StateTransfer {
  readonly #caller: Caller

  /**
   * @param kind - its first number on the wire
   * @param own - what to give; nothing while this peer has nothing to give
   */
  constructor(peer: Peer, kind: number, own: () => ModelState | undefined) {
    const answer: Answer = () => {
      const gift = own()
      return gift && { reply: { x: gift.x, round: gift.round, checksum: checksumOf(gift.x.values) } }
    }
    this.#caller = new Caller(peer, { name: 'state', kind, isReliable: false }, call, answer)
    const accepts: readonly Accept[] = [
      (envelope) => this.#caller.acceptAsk(envelope),
      (envelope) => this.#caller.acceptReply(envelope)
    ]
    accepts.forEach((accept, place) => (peer.accepts[kind + place] = accept))
  }

  /** What a peer gives within the timeout; undefined when that is nothing, of no round, or not what the peer had. */
  async ask(donor: PeerName): Promise<ModelState | undefined> {
    const reply = await this.#caller.request(donor, {})
    if (reply === undefined) return undefined
    const { x, round, checksum } = reply
    if (!isVector(x) || !allFinite(x.values) || typeof round !== 'number') return undefined
    if (checksumOf(x.values) !== checksum) return undefined
    return Number.isSafeInteger(round) && round >= 0 ? { x, round } : undefined
  }
}
