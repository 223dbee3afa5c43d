import { Budget, type Envelope, type Milliseconds, type PeerName } from '@murmuration/core'
import { checksumOf } from '@murmuration/vectors'
import { roundsField, wholeField } from '../record/number-fields.js'
import type { Call } from '../record/record.js'
import type { VectorMessage } from '@murmuration/wire'
import { type Answer, Caller } from '../channels/caller.js'
import type { Handler } from '../messages/inbox.js'
import type { ModelState } from '../members/participants.js'
import type { Peer } from './peer.js'
import { isVector } from '../vectors/vector.js'

const checksumField = wholeField(0, () => 2 ** 32 - 1)

/** The model is sent without loss, since a codec's error would remain. */
const call: Call = { ask: {}, reply: { x: 'packed', round: roundsField, checksum: checksumField } }

/**
 * A peer gets this many states of another at once, as after one crash and the next; then one in each `timeout` of the
 * run.
 */
const statesAtOnce = 3

/**
 * A peer that is refused asks again after a tick of its members, 250 ms. Asks that come more often than this are
 * faults.
 */
const asksAtOnce = 8
const askInterval: Milliseconds = 125

/** What one peer may still ask of this one: a state costs a checksum and a whole model on this peer's line. */
interface Allowance {
  readonly asks: Budget
  readonly states: Budget
}

/** Sends this peer's model to peers that are behind, and requests those of others. */
export class StateTransfer {
  readonly #peer: Peer
  readonly #caller: Caller
  readonly #allowances = new Map<PeerName, Allowance>()

  /**
   * @param kind - its first of three wire numbers
   * @param current - the model to send; undefined while this peer has none
   */
  constructor(peer: Peer, kind: number, current: () => ModelState | undefined) {
    this.#peer = peer
    const answer: Answer = (_, from) => {
      const gift = current()
      if (gift === undefined || !this.#allowanceOf(from).states.spend()) return undefined
      return { reply: { x: gift.x, round: gift.round, checksum: checksumOf(gift.x.values) } }
    }
    this.#caller = new Caller(peer, { name: 'state', kind, isReliable: false, refuses: true }, call, answer)
    const handlers: readonly Handler[] = [
      { accept: (envelope) => this.#acceptAsk(envelope) },
      { accept: (envelope) => this.#caller.acceptReply(envelope) },
      { accept: (envelope) => this.#caller.acceptRefusal(envelope) }
    ]
    handlers.forEach((handler, index) => peer.handlers.set(kind + index, handler))
  }

  #acceptAsk(envelope: Envelope<VectorMessage>): void {
    if (this.#allowanceOf(envelope.from).asks.spend()) this.#caller.acceptAsk(envelope)
    else this.#peer.fabric.reject(envelope, `it asks for a state more than ${1000 / askInterval} times a second`)
  }

  #allowanceOf(asker: PeerName): Allowance {
    const { fabric, timeout } = this.#peer
    const allowance = this.#allowances.get(asker) ?? {
      asks: new Budget(fabric, asksAtOnce, askInterval),
      states: new Budget(fabric, statesAtOnce, timeout)
    }
    this.#allowances.set(asker, allowance)
    return allowance
  }

  /**
   * A peer's model, if it arrives within the timeout; undefined if the peer refuses, or the model is invalid or fails
   * its checksum.
   */
  async ask(donor: PeerName): Promise<ModelState | undefined> {
    const reply = await this.#caller.request(donor, {})
    if (reply === undefined) return undefined
    const { x, round, checksum } = reply
    if (!isVector(x) || typeof round !== 'number' || checksumOf(x.values) !== checksum) return undefined
    return { x, round }
  }
}
