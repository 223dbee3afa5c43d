import type { Envelope, Milliseconds, PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Owner } from '../messages/owner.js'
import { noNumbers } from '../messages/header.js'
import type { Message, Route, State } from '../record/record.js'
import { rejectDuplicate } from './controls.js'
import {
  type Absence,
  type MessageDelivery,
  type EdgePolicy,
  type Inlet,
  noFlows,
  noneAbsent,
  noneOwed
} from './edge-policy.js'

const noPeers: readonly PeerName[] = []
const nothing: State = {}

/** No edges: each message stands for itself, and a late one is dropped. */
export class Plain implements EdgePolicy {
  readonly owing = noneOwed
  readonly #owner: Owner
  readonly #inlet: Inlet

  constructor(owner: Owner, inlet: Inlet) {
    this.#owner = owner
    this.#inlet = inlet
  }

  send({ to }: Route, delivery: MessageDelivery): readonly PeerName[] {
    let unsent = noPeers
    for (const peer of to) if (!delivery.deliver(peer, noNumbers)) unsent = [...unsent, peer]
    return unsent
  }

  receive(part: Envelope<VectorMessage>, isLate: boolean): Message | undefined {
    if (isLate) this.#owner.fabric.recycle(part.message)
    else if (!this.#inlet.hasRoom(part)) this.#inlet.drop(part)
    else if (this.#inlet.isDuplicate(part)) rejectDuplicate(this.#owner, part)
    else {
      const message = this.#inlet.read(part, true)
      return message === 'unusable' ? undefined : message
    }
    return undefined
  }

  isAwaited(): boolean {
    return true
  }

  close(lacking: readonly PeerName[], _mine: Message | undefined, _since: Milliseconds): readonly Absence[] {
    return lacking.length === 0 ? noneAbsent : lacking.map(() => 'silent')
  }

  /** Requests are answered, whoever asks; nothing else means anything. */
  step({ kind }: { readonly kind: string }): boolean {
    return kind === 'asked'
  }

  takeFlows(): typeof noFlows {
    return noFlows
  }

  get state(): State {
    return nothing
  }

  set state(_saved) {}
}
