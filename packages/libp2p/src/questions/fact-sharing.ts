import { type Fabric, InputError, type Milliseconds, NeighboursMissingError, type PeerName } from '@murmuration/core'
import { realClock } from '../base/clock.js'
import { isOpen } from '../links/context.js'
import type { PeerSet } from '../links/peer-set.js'
import { ask } from './questions.js'
import { within } from '../base/within.js'

/** The interval of questions to neighbours until all facts are known. */
const askEvery: Milliseconds = 100

/** Facts that spread from neighbour to neighbour. */
export interface Facts {
  readonly missing: readonly PeerName[]
  merge(from: PeerName, answer: unknown): void
}

/** Asks neighbours for facts. */
export class FactSharing {
  readonly #fabric: Pick<Fabric<never>, 'sleep' | 'signal'>
  readonly #peers: PeerSet
  readonly #timeout: Milliseconds

  /** @param timeout - of one question */
  constructor(fabric: Pick<Fabric<never>, 'sleep' | 'signal'>, peers: PeerSet, timeout: Milliseconds) {
    this.#fabric = fabric
    this.#peers = peers
    this.#timeout = timeout
  }

  /** Asks neighbours until nothing is missing. */
  async learn(
    protocol: string,
    facts: Facts,
    timeout: Milliseconds,
    messageFor: (list: string) => string
  ): Promise<void> {
    const deadline = realClock.now() + timeout
    for (;;) {
      await this.askAll(protocol, facts)
      const { missing } = facts
      if (missing.length === 0) return
      if (realClock.now() >= deadline) {
        throw new NeighboursMissingError(missing, `after ${timeout / 1000} s, ${messageFor(missing.join(', '))}`)
      }
      await this.#fabric.sleep(realClock.now() + askEvery)
    }
  }

  /**
   * Asks all neighbours at once. A missing answer is ignored until the next time, and all are missing once this peer is
   * stopped; a contradiction between two neighbours ends the run.
   */
  async askAll(protocol: string, facts: Facts): Promise<void> {
    const asked = [...this.#peers.sessions.values()].flatMap(({ name, connections }) => {
      const connection = connections.find(isOpen)
      if (connection === undefined) return []
      const timeout = this.#timeout
      const response = within(timeout, this.#fabric.signal, () => ask(connection, protocol, { timeout }))
      return [response.then((answer) => facts.merge(name, answer))]
    })
    for (const result of await Promise.allSettled(asked)) {
      if (result.status === 'rejected' && result.reason instanceof InputError) throw result.reason
    }
  }
}
