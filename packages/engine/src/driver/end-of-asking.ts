import { type Envelope, NeighboursMissingError, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Endings } from '../members/participants.js'
import type { Handler } from '../messages/inbox.js'
import type { Peer } from './peer.js'
import { roleOf } from './program.js'
import type { TrainingSettings } from './training.js'

/** How often to announce the end again to those whose queue had no room, in milliseconds. */
const announceEvery = 250

/**
 * Where peers or servers answer requests: each peer announces when it has no more requests, and answers until all have
 * announced it. Where peers have
 * their own pace, fast ones also wait for slow ones this way.
 */
export class EndOfAsking implements Handler {
  readonly #peer: Peer
  readonly #settings: TrainingSettings
  readonly #kind: number
  /** The peers with no more requests. */
  #done: Set<PeerName> | undefined

  /** @param kind - the wire number of the announcement */
  constructor(peer: Peer, settings: TrainingSettings, kind: number) {
    this.#peer = peer
    this.#settings = settings
    this.#kind = kind
    peer.handlers.set(kind, this)
  }

  /** Announces that this peer has ended, before `round`, and answers until no peer has more requests. */
  async reach(round: number): Promise<void> {
    const { servers = [], workers } = this.#settings
    const { fabric, mixings } = this.#peer
    const others = this.#isServer ? workers : servers.length > 0 ? servers : [...mixings.neighbours]
    const unannounced = new Set(this.#isServer ? [] : others)
    const announce = () => {
      for (const to of unannounced) {
        const result = fabric.send(to, { kind: this.#kind, round, vector: new Float32Array(0) })
        if (result !== 'full') unannounced.delete(to)
      }
      return unannounced.size === 0
    }
    announce()
    const { answers } = roleOf(this.#settings, fabric.self)
    if (answers === undefined && this.#settings.algorithm.pace !== 'own') return
    const start = fabric.now()
    const endings = this.#peer.presence.members.endings(round)
    await this.#await(this.#awaitedAtEnd(others, endings), endings, announce)
    // A server that only answers has nothing else to do.
    if (!this.#isServer) this.#peer.waited(fabric.now() - start)
    this.#done = undefined
  }

  /** Whether peers announce their end. */
  static isUsed({ algorithm: { pace, answers, server } }: Pick<TrainingSettings, 'algorithm'>): boolean {
    return pace === 'own' || answers !== undefined || server?.answers !== undefined
  }

  /** Those that announce their end, or all others whose end can be seen. */
  #awaitedAtEnd(announcing: readonly PeerName[], endings: Endings): readonly PeerName[] {
    const { servers = [], workers } = this.#settings
    if (servers.length > 0) return announcing
    return endings.visible(
      announcing,
      workers.filter((name) => name !== this.#peer.fabric.self)
    )
  }

  get #isServer(): boolean {
    return this.#settings.servers?.includes(this.#peer.fabric.self) === true
  }

  /** A peer has announced its end. */
  accept(envelope: Envelope<VectorMessage>): void {
    const { fabric, presence } = this.#peer
    const { from, message } = envelope
    if (message.vector.length > 0) return fabric.reject(envelope, 'parameters in the announcement of an end')
    presence.heard(from)
    this.#done ??= new Set()
    this.#done.add(from)
  }

  /**
   * A peer that was not heard for two timeouts, and has not announced its end, is missing. A peer known to be gone is
   * not waited for. Where peers
   * report their rounds, a peer that gets no closer to its end is not waited for, whatever else it sends.
   *
   * @param announce - announces the end to those whose queue had no room, and returns whether none is left
   */
  async #await(others: readonly PeerName[], endings: Endings, announce: () => boolean): Promise<void> {
    const { fabric, presence, timeout } = this.#peer
    const { members } = presence
    const isOver = (name: PeerName) => this.#done?.has(name) === true || members.isGone(name) || endings.hasEnded(name)
    const hasProgress = () => endings.noteProgress(left(), presence.messages > messages)
    const isDone = () => others.every(isOver)
    const left = () => others.filter((name) => !isOver(name))
    let messages = presence.messages
    let since = fabric.now()
    for (let isAnnounced = announce(); !isAnnounced || !isDone(); isAnnounced = announce()) {
      const end = since + 2 * timeout
      const until = Math.min(end, fabric.now() + (isAnnounced ? endings.checkEvery : announceEvery))
      await this.#peer.until({
        isDone: () => (isAnnounced && isDone()) || presence.messages > messages,
        deadline: () => until,
        outcome: () => {}
      })
      if (hasProgress()) since = fabric.now()
      messages = presence.messages
      if (fabric.now() < end) continue
      if (!this.#isServer || isDone()) return
      const missing = left()
      const text = `${fabric.self} received nothing from ${missing.join(', ')} for ${2 * timeout} ms, and they have not ended`
      throw new NeighboursMissingError(missing, text)
    }
  }
}
