import type { Envelope, PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { partsPerRound, tagOf } from './early.js'
import type { ControlKinds } from './exchanging.js'
import type { Owner } from './owner.js'
import { noTerms, readTerms, type Terms } from './terms.js'

const empty = new Float32Array(0)

/** What is said about the exchanges of a channel beside X: SKIP and WITHDRAW, each of a tag. */
export class Controls {
  readonly #owner: Owner
  readonly #kinds: ControlKinds
  readonly #rounds: number

  /** @param rounds - no message is of this round or a later one */
  constructor(owner: Owner, kinds: ControlKinds, rounds = owner.rounds) {
    this.#owner = owner
    this.#kinds = kinds
    this.#rounds = rounds
  }

  /** What finds no room is lost; who waits for it asks again. */
  say(what: keyof ControlKinds, to: PeerName, tag: number, numbers = noTerms): void {
    const [round, part] = [Math.floor(tag / partsPerRound), tag % partsPerRound]
    this.#owner.send(to, { kind: this.#kinds[what], round, part, numbers, vector: empty })
  }

  /** What has come; undefined for what is none, which is its sender's fault. */
  read(envelope: Envelope<VectorMessage>): { readonly tag: number; readonly terms: Terms } | undefined {
    const { round, part = 0, field = 0, numbers = [], vector } = envelope.message
    const terms = readTerms(numbers)
    const isOne = vector.length === 0 && field === 0 && round < this.#rounds && part < partsPerRound
    if (isOne && terms !== undefined) return { tag: tagOf({ round, part }), terms }
    this.#owner.fabric.reject(envelope, `what is no answer about round ${round}, part ${part}`)
    return undefined
  }
}
