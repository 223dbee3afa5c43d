import type { Milliseconds, Mixing, PeerName } from '@murmuration/core'
import type { MemberProgress } from '@murmuration/membership'
import type { ModelState, Trainee, TraineeRun } from '../members/participants.js'
import type { Peer } from './peer.js'
import { StateTransfer } from './state-transfer.js'

/** A peer and its run, as its members see them. */
export class TrainedPeer implements Trainee {
  readonly run: TraineeRun
  readonly #peer: Peer
  readonly #kind: number
  #transfer: StateTransfer | undefined

  /** @param kind - the first unused wire number; {@link StateTransfer} takes three */
  constructor(peer: Peer, run: TraineeRun, kind: number) {
    this.run = run
    this.#peer = peer
    this.#kind = kind
  }

  get timeout(): Milliseconds {
    return this.#peer.timeout
  }

  get messages(): number {
    return this.#peer.presence.messages
  }

  get edges(): Trainee['edges'] {
    return this.#peer.edges
  }

  progress(): MemberProgress {
    return progressOf(this.#peer, this.run)
  }

  open(row: (round: number) => Mixing, mayGive: () => boolean): void {
    this.#peer.mixings.repaired = row
    this.#transfer = new StateTransfer(this.#peer, this.#kind, () => (mayGive() ? this.run.current() : undefined))
  }

  takeIn(): Promise<void> {
    const { fabric } = this.#peer
    return this.#peer.until({ isDone: () => false, deadline: () => fabric.now(), outcome: () => {} })
  }

  wait(until: Milliseconds): Promise<void> {
    this.#peer.edges.remindAll()
    let looks = 0
    return this.#peer.until({ isDone: () => looks++ > 0, deadline: () => until, outcome: () => {} })
  }

  async ask(donor: PeerName): Promise<ModelState | undefined> {
    return this.#transfer?.ask(donor)
  }
}

/** How far a peer is, for the others to know. */
export function progressOf({ awaited, edges, gradients }: Peer, { round, every }: TraineeRun): MemberProgress {
  return { round, samples: gradients.batches.drawn, waitsFor: awaited, owes: edges.owing, every }
}
