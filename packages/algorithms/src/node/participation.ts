import type { Milliseconds, PeerName } from '@murmuration/core'
import type { Members } from './members.js'
import type { Peer } from './peer.js'
import { type ModelState, StateTransfer } from './state-transfer.js'

/** How many rounds after that of a taken state a peer begins: its record arrives before its first message. */
const joinMargin = 2

/** What trains here. */
export interface Trainee {
  /** That comes next. */
  round(): number
  /** Until now, of a peer that was there from the start. */
  samples(): number
  /** The round that comes next, and the model that it begins with. */
  current(): ModelState | undefined
  /** Goes on from a model, from the beginning of this round or of the last. Optimisers begin anew. */
  goOnFrom(state: ModelState): void
}

/** What a peer does between its rounds where peers come and go: it waits, pauses, gives its model to those that are behind, takes another's. */
export class Participation {
  readonly #peer: Peer
  readonly #members: Members
  readonly #trainee: Trainee
  readonly #transfer: StateTransfer
  #life = 1

  /** @param kind - the first of its numbers on the wire; see {@link StateTransfer.kinds} */
  constructor(peer: Peer, members: Members, kind: number, trainee: Trainee) {
    this.#peer = peer
    this.#members = members
    this.#trainee = trainee
    this.#transfer = new StateTransfer(peer, kind, () => (members.mayGive ? trainee.current() : undefined))
    const { exchanges, presence, mixings } = peer
    presence.members = members
    mixings.repaired = (round) => {
      const row = members.row(round)
      for (const { name } of row.sendTo) exchanges.newLife(name, members.lifeOf(name))
      return row
    }
    members.follow({
      progress: () => ({
        round: trainee.round(),
        samples: trainee.samples(),
        waitsFor: peer.awaited,
        owes: exchanges.owing
      }),
      onLife: (name, life) => exchanges.newLife(name, life)
    })
  }

  /** How often this peer has begun. */
  get life(): number {
    return this.#life
  }

  /** Waits until this peer may begin its next round, and has the state to. */
  async ready(): Promise<void> {
    await this.#members.ready(() => this.#trainee.round(), {
      wait: (until) => this.#wait(until),
      takeState: (donor) => this.#takeState(donor)
    })
    this.#peer.exchanges.pause(false)
    this.#adoptLife()
  }

  /** Serves the others until they have finished, too. */
  async finish(): Promise<void> {
    await this.#members.finish(this.#trainee.round(), (until) => this.#wait(until), this.#peer.timeout)
  }

  /** Takes messages in. While this peer pauses, it tells who sends that it does not take part. */
  async #wait(until: Milliseconds): Promise<void> {
    this.#adoptLife()
    this.#peer.exchanges.pause(this.#members.isPaused)
    await this.#peer.until({ isDone: () => false, deadline: () => until, outcome: () => {} })
  }

  #adoptLife(): void {
    const { life } = this.#members
    if (life === this.#life || life === 0) return
    this.#life = life
    this.#peer.exchanges.beginLife(life)
  }

  async #takeState(donor: PeerName): Promise<void> {
    const given = await this.#transfer.ask(donor)
    if (given === undefined || given.round + joinMargin <= this.#trainee.round()) return
    this.#trainee.goOnFrom({ x: given.x, round: given.round + joinMargin })
    this.#members.begin(this.#trainee.round())
    this.#adoptLife()
  }
}
