import type { StreamHandler } from '@libp2p/interface'
import type { Fabric, Milliseconds, PeerName } from '@murmuration/core'
import type { PeerSet } from '../links/peer-set.js'
import { FactSharing } from './fact-sharing.js'
import { answer } from './questions.js'
import { SampleCounts, samplesProtocol } from './sample-counts.js'
import { checkpointsProtocol, SavedRounds } from './saved-rounds.js'

/** Whose facts are exchanged. */
export interface FactSources {
  readonly self: PeerName
  /** The peers whose sample counts are learned: those of the topology without places for invited ones. */
  readonly peers: readonly PeerName[]
  readonly servers: readonly PeerName[]
  /** Of one question. */
  readonly timeout: Milliseconds
}

/** What peers ask each other before and between rounds: sample counts, and the rounds of checkpoints. */
export class SharedFacts {
  readonly #samples: SampleCounts
  readonly #saved: SavedRounds
  readonly #sharing: FactSharing
  readonly #timeout: Milliseconds

  constructor(
    { self, peers, servers, timeout }: FactSources,
    fabric: Pick<Fabric<never>, 'sleep' | 'signal'>,
    sessions: PeerSet
  ) {
    this.#samples = new SampleCounts(self, peers)
    this.#saved = new SavedRounds(self, [...peers, ...servers])
    this.#sharing = new FactSharing(fabric, sessions, timeout)
    this.#timeout = timeout
  }

  /** What answers the questions of other peers, by protocol. */
  get handlers(): Readonly<Record<string, StreamHandler>> {
    const timeout = this.#timeout
    return {
      [samplesProtocol]: (stream) => answer(stream, { timeout }, () => this.#samples.answer()),
      [checkpointsProtocol]: (stream) => answer(stream, { timeout }, () => this.#saved.answer())
    }
  }

  /** See `Peer.exchangeSampleCounts`. */
  async exchangeSampleCounts(samples: number, timeout: Milliseconds): Promise<ReadonlyMap<PeerName, number>> {
    this.#samples.setOwn(samples)
    const messageFor = (list: string) => `the sample counts of ${list} have not arrived`
    await this.#sharing.learn(samplesProtocol, this.#samples, timeout, messageFor)
    return this.#samples.counts()
  }

  /** See `Peer.exchangeCheckpoints`. */
  async exchangeCheckpoints(
    rounds: readonly number[],
    timeout: Milliseconds,
    gone: readonly PeerName[]
  ): Promise<ReadonlyMap<PeerName, readonly number[]>> {
    this.#saved.setBefore(rounds, gone)
    const messageFor = (list: string) =>
      `the checkpoints of ${list} have not arrived; all peers of a run need --resume, or none`
    await this.#sharing.learn(checkpointsProtocol, this.#saved, timeout, messageFor)
    return this.#saved.before()
  }

  /** See `Peer.exchangeSaved`. */
  async exchangeSaved(round: number): Promise<readonly number[]> {
    this.#saved.setNewest(round)
    await this.#sharing.askAll(checkpointsProtocol, this.#saved)
    return this.#saved.newestOfOthers()
  }
}
