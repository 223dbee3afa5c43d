import type { Milliseconds } from '@murmuration/core'
import { realClock } from '../base/clock.js'
import type { ControlChannel } from './control-channel.js'
import { ProtocolFault } from './control-messages.js'
import { type Neighbour, roundTripsNeeded } from './neighbour.js'

/** Pings over one control stream: they show the neighbour that this peer is alive, and measure the round trip. */
export class Pings {
  readonly #neighbour: Neighbour
  readonly #control: ControlChannel
  /** The number of unanswered pings. */
  #open = 0

  constructor(neighbour: Neighbour, control: ControlChannel) {
    this.#neighbour = neighbour
    this.#control = control
  }

  /** Sends a ping with the time `at`. */
  send(at = realClock.now(), padding = ''): void {
    this.#open++
    this.#control.send({ kind: 'ping', at, padding })
  }

  /** Sends a ping if the neighbour is connected and none is unanswered: before, both sides are busy with handshakes. */
  sendOnce(): void {
    const { isConnected } = this.#neighbour
    if (isConnected && this.#neighbour.isUp('outgoing') && this.#open === 0) this.send()
  }

  /** Takes the answer to a ping. Throws a ProtocolFault when none was unanswered. */
  answered(at: Milliseconds): void {
    if (this.#open-- <= 0) throw new ProtocolFault('it answers a ping that was never sent')
    this.#neighbour.recordPong(at)
    if (this.#neighbour.answeredPings < roundTripsNeeded) this.send()
  }
}
