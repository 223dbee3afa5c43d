import type { PeerName } from '@murmuration/core'
import type { EpochEvent, LostEvent } from '../../base/events.js'

/** The peers whose models are in the mean of a swarm: at first all that train. */
export class AveragedPeers {
  readonly #peers: readonly PeerName[]
  readonly #lost = new Set<PeerName>()
  #epoch = 0
  #workers: readonly PeerName[]

  constructor(peers: readonly PeerName[]) {
    this.#peers = this.#workers = peers
  }

  /** In the order of the topology. */
  get names(): readonly PeerName[] {
    return this.#workers.filter((peer) => !this.#lost.has(peer))
  }

  /** A process was lost; or an epoch has begun, which each of its members tells, some after the next has begun. */
  take(event: LostEvent | EpochEvent): void {
    if (event.kind === 'lost') this.#lost.add(event.peer)
    else if (event.epoch > this.#epoch) {
      const { epoch, members, servers } = event
      this.#epoch = epoch
      // A server has no whole model.
      this.#workers = this.#peers.filter((peer) => members.includes(peer) && !servers.includes(peer))
    }
  }
}
