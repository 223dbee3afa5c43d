import type { Milliseconds, PeerName } from '@murmuration/core'
import { allFinite } from '@murmuration/vectors'
import type { Call } from '../record.js'
import { type Answer, type Answered, Caller } from './caller.js'
import { halfOf } from './figures.js'
import type { Accept, Peer } from './peer.js'
import type { Program } from './program.js'
import { isVector, type Vector } from './vector.js'

/** What another peer goes on from: the model of a peer at the begin of a round; where a weighted mean is kept, half of its mass (x, w). */
export interface ModelState {
  readonly x: Vector
  /** 1 for a model. */
  readonly w: number
  readonly round: number
}

/** A state for another peer. */
export interface Gift {
  readonly state: ModelState
  /** Called when it is under way: what is given is the giver's no more. */
  accept?(): void
}

const call: Call = { ask: {}, reply: { x: 'vector', w: 'number', round: 'number' } }

/** Gives one's own model to peers that are behind, and asks others for theirs. */
export class StateTransfer {
  readonly #caller: Caller
  readonly #peer: Peer
  readonly #own: () => Gift | 'later' | undefined
  /** Who is to get a state between two rounds: the number of what it has asked last, and when. */
  readonly #waiting = new Map<PeerName, { readonly id: number; readonly at: Milliseconds }>()

  /**
   * @param kind - its first number on the wire
   * @param own - what to give; nothing while this peer has nothing to give; later in the midst of a round that works on what would be given
   */
  constructor(peer: Peer, kind: number, own: () => Gift | 'later' | undefined) {
    this.#peer = peer
    this.#own = own
    const answer: Answer = (_ask, from, id) => {
      const gift = own()
      if (gift === 'later') this.#waiting.set(from, { id, at: peer.fabric.now() })
      return typeof gift === 'object' ? answered(gift) : undefined
    }
    this.#caller = new Caller(peer, { name: 'state', kind, isReliable: false }, call, answer)
    const accepts: readonly Accept[] = [
      (envelope) => this.#caller.acceptAsk(envelope),
      (envelope) => this.#caller.acceptReply(envelope)
    ]
    accepts.forEach((accept, place) => (peer.accepts[kind + place] = accept))
  }

  /** Between two rounds: gives to those that have asked in the last one, and still wait. */
  serve(): void {
    if (this.#waiting.size === 0) return
    const { fabric, timeout } = this.#peer
    for (const [to, { id, at }] of this.#waiting) {
      const gift = fabric.now() - at < timeout ? this.#own() : undefined
      if (typeof gift === 'object') this.#caller.reply(to, id, answered(gift))
    }
    this.#waiting.clear()
  }

  /** What a peer gives within the timeout; undefined when that is nothing, or of no round. */
  async ask(donor: PeerName): Promise<ModelState | undefined> {
    const reply = await this.#caller.request(donor, {})
    if (reply === undefined) return undefined
    const { x, w, round } = reply
    if (!isVector(x) || !allFinite(x.values) || typeof w !== 'number' || typeof round !== 'number') return undefined
    return Number.isSafeInteger(round) && round >= 0 && w > 0 ? { x, w, round } : undefined
  }
}

function answered({ state: { x, w, round }, accept }: Gift): Answered {
  return { reply: { x, w, round }, ...(accept && { accept }) }
}

/**
 * What a peer may give.
 *
 * @param isMass - whether it is half of the state's mass, which is the giver's no more
 * @param isInRound - whether a round works on the state
 */
export function giftOf(
  program: Program,
  round: number,
  isMass: boolean,
  isInRound: boolean
): Gift | 'later' | undefined {
  if (!isMass) {
    const x = program.model()
    return x === undefined ? undefined : { state: { x, w: 1, round } }
  }
  if (isInRound) return 'later'
  const half = halfOf(program.state)
  return { state: { ...half, round }, accept: () => (program.state = { ...program.state, ...half }) }
}
