import type { PeerName } from '@murmuration/core'
import { allFinite, checksumOf } from '@murmuration/vectors'
import type { Call } from '../record.js'
import { type Answer, Caller } from './caller.js'
import type { Accept, Peer } from './peer.js'
import { isVector, type Vector } from './vector.js'

/** What a peer continues from: another peer's model at the beginning of a round. */
export interface ModelState {
  readonly x: Vector
  readonly round: number
}

/** The model is sent without loss, since a codec's error would remain. */
const call: Call = { ask: {}, reply: { x: 'packed', round: 'number', checksum: 'number' } }

/** Sends this peer's model to peers that are behind, and requests those of others. */
export class StateTransfer {
  readonly #caller: Caller

  /**
   * @param kind - its first wire number
   * @param current - the model to send; undefined while this peer has none
   */
  constructor(peer: Peer, kind: number, current: () => ModelState | undefined) {
    const answer: Answer = () => {
      const gift = current()
      return gift && { reply: { x: gift.x, round: gift.round, checksum: checksumOf(gift.x.values) } }
    }
    this.#caller = new Caller(peer, { name: 'state', kind, isReliable: false }, call, answer)
    const accepts: readonly Accept[] = [
      (envelope) => this.#caller.acceptAsk(envelope),
      (envelope) => this.#caller.acceptReply(envelope)
    ]
    accepts.forEach((accept, index) => (peer.accepts[kind + index] = accept))
  }

  /** A peer's model, if it arrives within the timeout; undefined if it is invalid or fails its checksum. */
  async ask(donor: PeerName): Promise<ModelState | undefined> {
    const reply = await this.#caller.request(donor, {})
    if (reply === undefined) return undefined
    const { x, round, checksum } = reply
    if (!isVector(x) || !allFinite(x.values) || typeof round !== 'number') return undefined
    if (checksumOf(x.values) !== checksum) return undefined
    return Number.isSafeInteger(round) && round >= 0 ? { x, round } : undefined
  }
}
