import type { ConsensusEstimate, Milliseconds, PeerName } from '@murmuration/core'
import type { Members } from '../members/members.js'
import type { Peer } from './peer.js'
import { inSlices } from '../vectors/slices.js'
import { Consensus } from '../members/consensus.js'
import { type ModelState, StateTransfer } from './state-transfer.js'
import { linear, type Vector } from '../vectors/vector.js'

/** How many rounds after that of a taken state a peer begins: its record must arrive before its first message. */
const joinMargin = 2

/** How often a model is sketched in a run: twice per report in a usual run. */
const sketches = 40

/** The training that takes part. */
export interface Trainee {
  /** The first unused wire number; {@link StateTransfer} takes three. */
  readonly kind: number
  /** The seed of the run. */
  readonly seed: number
  /** The next round. */
  round(): number
  /** How many rounds lie between two exchanges. */
  readonly every: number
  /** Whether a round is of final averaging. */
  isFinal(round: number): boolean
  /** The first round from this one on in which neighbours exchange; undefined if none is left. */
  nextExchange(round: number): number | undefined
  /** Whether the round is independent of the rounds of others. */
  isAtOwnPace(): boolean
  /** How many samples this peer has gone through. */
  samples(): number
  /** The next round, and the state that another peer may begin it with. */
  current(): ModelState | undefined
  /** Continues from another peer's state, from the beginning of this round or of the last. Optimisers restart. */
  continueFrom(state: ModelState): void
}

/** What a peer does between rounds where peers come and go: it waits, pauses, gives its model to peers that are behind, or takes another's. */
export class Participation {
  readonly #peer: Peer
  readonly #members: Members
  readonly #trainee: Trainee
  readonly #transfer: StateTransfer
  readonly #consensus: Consensus
  /** Models are sketched after this many rounds. */
  readonly #sketchEvery: number
  #life = 1
  /** How many messages had arrived before the last round. */
  #messages = 0

  constructor(peer: Peer, members: Members, trainee: Trainee) {
    this.#consensus = new Consensus(peer.fabric.self, trainee.seed, peer.rounds)
    this.#sketchEvery = Math.max(1, Math.floor(peer.rounds / sketches))
    this.#peer = peer
    this.#members = members
    this.#trainee = trainee
    this.#transfer = new StateTransfer(peer, trainee.kind, () => (members.mayGive ? trainee.current() : undefined))
    const { exchanges, presence, mixings } = peer
    presence.members = members
    mixings.repaired = (round) => {
      const row = members.row(round)
      for (const { name } of row.sendTo) exchanges.newLife(name, members.lifeOf(name))
      return row
    }
    members.follow(
      {
        progress: () => ({
          round: trainee.round(),
          samples: trainee.samples(),
          waitsFor: peer.awaited,
          owes: exchanges.owing,
          every: trainee.every
        }),
        get isAtOwnPace() {
          return trainee.isAtOwnPace()
        },
        isFinal: (round) => trainee.isFinal(round),
        nextExchange: (round) => trainee.nextExchange(round),
        onLife: (name, life) => exchanges.newLife(name, life)
      },
      this.#consensus
    )
  }

  /** After some rounds: sends others a sketch of the model, so that all can estimate how far apart their models are. */
  sketch(round: number, model: Float32Array): Promise<void> | undefined {
    if ((round + 1) % this.#sketchEvery !== 0) return undefined
    const tell = () => this.#members.tellContacts(this.#consensus.end(round))
    const slices = inSlices(this.#peer.fabric, model.length, (from, to) => this.#consensus.add(model, from, to))
    if (slices !== undefined) return slices.then(tell)
    tell()
    return undefined
  }

  get consensus(): ConsensusEstimate | undefined {
    return this.#members.consensus
  }

  /** How many lives this peer has begun. */
  get life(): number {
    return this.#life
  }

  /** Waits until this peer may begin its next round and has the state for it. */
  async ready(): Promise<void> {
    const { presence } = this.#peer
    // A round that waits for no peer processes no messages, and others may ask for a state.
    if (presence.messages === this.#messages) await this.#takeIn()
    this.#messages = presence.messages
    await this.#members.ready(() => this.#trainee.round(), {
      timeout: this.#peer.timeout,
      wait: (until) => this.#wait(until),
      aloneSince: () => presence.aloneSince,
      takeState: (donor) => this.#takeState(donor)
    })
    this.#peer.exchanges.pause(false)
    this.#adoptLife()
  }

  /** Tells the others this peer's final model in short, and serves them until they have finished too. */
  async finish(model: Float32Array): Promise<void> {
    const { fabric, rounds } = this.#peer
    const slices = inSlices(fabric, model.length, (from, to) => this.#consensus.add(model, from, to))
    if (slices !== undefined) await slices
    this.#members.tellContacts(this.#consensus.end(rounds))
    await this.#members.finish(this.#trainee.round(), (until) => this.#wait(until), this.#peer.timeout)
  }

  /** Processes messages. While this peer pauses, it answers every sender that it does not take part. */
  async #wait(until: Milliseconds): Promise<void> {
    this.#adoptLife()
    this.#peer.exchanges.pause(this.#members.isPaused)
    this.#peer.exchanges.remindAll()
    let looks = 0
    await this.#peer.until({ isDone: () => looks++ > 0, deadline: () => until, outcome: () => {} })
  }

  /** Processes the messages that have arrived. */
  #takeIn(): Promise<void> {
    const { fabric } = this.#peer
    return this.#peer.until({ isDone: () => false, deadline: () => fabric.now(), outcome: () => {} })
  }

  #adoptLife(): void {
    const { life } = this.#members
    if (life === this.#life || life === 0) return
    this.#life = life
    this.#peer.exchanges.beginLife(life)
  }

  /** The side that returns continues in the other side's round, or in its own if that is later: rounds never decrease. */
  #continueFromBoth(ownWeight: number, theirs: Vector, round: number): void {
    const current = this.#trainee.current()
    if (current === undefined) return
    const x = linear([ownWeight, current.x], [1 - ownWeight, theirs])
    this.#trainee.continueFrom({ x, round: Math.max(round, current.round) })
  }

  async #takeState(donor: PeerName): Promise<void> {
    // As it was when this peer asked: the reunion may be over when the model arrives.
    const { ownShare } = this.#members
    const taken = await this.#transfer.ask(donor)
    if (taken === undefined || !this.#members.isPlausible(taken.round, donor)) return
    const round = taken.round + joinMargin
    if (ownShare > 0) this.#continueFromBoth(ownShare, taken.x, round)
    else if (round > this.#trainee.round()) this.#trainee.continueFrom({ ...taken, round })
    else return
    this.#members.begin(this.#trainee.round())
    this.#adoptLife()
  }
}
