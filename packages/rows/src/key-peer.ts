/** One peer of a run whose parameters are keyed rows: its key server on a fabric, shared by the workers of the peer. */
import { type Envelope, type Fabric, type Milliseconds, NeighboursMissingError, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { KeyServer, KeySetting, SendTo } from './key-server.js'
import { areBelow, type KeyMessage, messageOf, noKeys, noValues, vectorOf } from './messages.js'
import type { Operation } from './operation.js'
import { Outbox } from './outbox.js'
import { text } from '@murmuration/engine'

/** After this many timeouts without a message a peer that is behind counts as missing, even if its link is up. */
const maxTimeouts = 20

/** One peer's messages for the next phase may hold this many times the numbers of the parameters. */
const maxLater = 16

/**
 * The messages that wait for room in the queue to one peer may hold this many times the numbers of the parameters, for
 * each worker.
 */
const maxUnsent = 16

/** A peer that has sent larger numbers is named if training fails. */
const suspicious = 2 ** 24

/** How often to look for that room, in milliseconds. */
const retryEvery = 50

/** How many timeouts a peer that takes no message, or does not answer, is waited for. */
const silentTimeouts = 2

/** The part of its server's setting that a peer knows itself. */
export type PeerSetting = Pick<KeySetting, 'self' | 'peers' | 'keysPerMessage'>

export interface KeyPeerOptions {
  /** All peers, servers first; messages name a peer by its index here. */
  readonly peers: readonly PeerName[]
  /** The peers that train; all of them must reach the end of a phase. */
  readonly workers: readonly PeerName[]
  /** How many workers this peer has; their waiting times are averaged. 1 when absent. */
  readonly ofPeer?: number
  readonly timeout: Milliseconds
  readonly server: (setting: PeerSetting, send: SendTo) => KeyServer
  /** The number of parameters, which is also the most numbers that a message holds. */
  readonly length: number
  readonly width: number
  readonly count: number
}

/**
 * Receives messages for the key server, and lets the workers of the peer wait. Phases: all workers are in the same one,
 * and a message of the next phase waits until this peer is there. So the rows held between two phases are a consistent
 * state of all peers.
 */
export class KeyPeer {
  readonly server: KeyServer
  readonly self: number
  readonly #fabric: Fabric<VectorMessage>
  readonly #options: KeyPeerOptions
  readonly #maxKeys: number
  #phase = 0
  /** How many phases each worker has ended. */
  readonly #reached: Map<PeerName, number>
  /** Messages of the next phase. */
  #later: Envelope<VectorMessage>[] = []
  /** How many numbers of each peer these hold; a message counts as one more than its vector has. */
  readonly #laterOf = new Map<PeerName, number>()
  readonly #outbox: Outbox
  /** The error of the activity that serves while workers compute. */
  #failure: { readonly error: unknown } | undefined
  /** How many activities wait for a message. */
  #waiting = 0
  /** The operations that activities wait for. */
  readonly #awaited = new Set<Operation>()
  #lastMessageAt: Milliseconds
  /** The largest magnitude of each peer's numbers, where it is above {@link suspicious}. */
  readonly #large = new Map<PeerName, number>()
  /** How long this peer has waited for others; for replies, the mean over its workers. */
  waited: Milliseconds = 0

  constructor(fabric: Fabric<VectorMessage>, options: KeyPeerOptions) {
    const { peers, workers, ofPeer = 1, length, width } = options
    this.#fabric = fabric
    this.#options = options
    this.self = peers.indexOf(fabric.self)
    this.#maxKeys = Math.max(1, Math.floor(length / (1 + width)))
    this.#reached = new Map(workers.map((name) => [name, 0]))
    this.#lastMessageAt = fabric.now()
    this.#outbox = new Outbox(fabric, maxUnsent * ofPeer * (length + 1))
    const setting = { self: this.self, peers: peers.length, keysPerMessage: this.#maxKeys }
    this.server = options.server(setting, (to, message) => this.#send(to, message))
  }

  /** Receives messages while all workers of the peer compute, until the returned function is called. */
  serve(): () => void {
    let isOver = false
    this.#fabric.spawn(async (fabric) => {
      try {
        await this.until(
          fabric,
          () => isOver,
          () => {}
        )
      } catch (error) {
        this.#failure = { error }
        this.wakeAll()
      }
    })
    return () => {
      isOver = true
      this.wakeAll()
    }
  }

  /** Waits, on the fabric of one activity, until the operation has ended. */
  async finish(fabric: Fabric<VectorMessage>, operation: Operation): Promise<void> {
    if (operation.open === 0) return
    const start = fabric.now()
    await this.until(
      fabric,
      () => operation.open === 0,
      (silence) => {
        if (silence >= silentTimeouts) throw this.unanswered(silence)
      },
      operation
    )
    this.waited += (fabric.now() - start) / (this.#options.ofPeer ?? 1)
  }

  /** For errors: who has sent large numbers, which most peers have not; empty where nobody has. */
  get suspected(): string {
    if (this.#large.size * 2 >= this.#options.peers.length) return ''
    const list = [...this.#large].map(([name, size]) => `${name} has sent numbers as large as ${text(size)}`)
    return list.length === 0 ? '' : `; ${list.join(', and ')}`
  }

  /** The error when requests were not answered for this many timeouts. */
  unanswered(silence: number): NeighboursMissingError {
    const peers = this.server.unanswered.map((index) => this.#options.peers[index])
    const from = peers.length === 0 ? '' : ` from ${peers.join(', ')}`
    const time = silence * this.#options.timeout
    return this.#missing(`waited ${time} ms for the rows that it requested${from}: nothing arrived`, peers)
  }

  /**
   * Receives messages until `isDone`. Calls `onSilence` after each timeout without a message, with their number.
   *
   * @param operation - the operation that is awaited, if it is one
   * @throws NeighboursMissingError when a peer takes no message for two timeouts
   */
  async until(
    fabric: Fabric<VectorMessage>,
    isDone: () => boolean,
    onSilence: (silence: number) => void,
    operation?: Operation
  ): Promise<void> {
    const { timeout } = this.#options
    let since = fabric.now()
    let silence = 0
    while (!isDone()) {
      if (this.#failure !== undefined) throw this.#failure.error
      this.#waiting++
      const deadline = Math.max(since, this.#lastMessageAt) + (silence + 1) * timeout
      const wakeAt = this.#outbox.isEmpty ? deadline : Math.min(deadline, fabric.now() + retryEvery)
      if (operation !== undefined) this.#awaited.add(operation)
      const envelope = await fabric.receive(wakeAt, undefined, operation)
      if (operation !== undefined) this.#awaited.delete(operation)
      this.#waiting--
      if (!this.#outbox.isEmpty) this.#sendUnsent()
      if (envelope !== undefined) {
        if (this.#accept(envelope)) {
          since = fabric.now()
          silence = 0
        }
      } else if (fabric.now() >= deadline) onSilence(++silence)
    }
  }

  /**
   * Announces that this peer's workers have reached the end of the phase, and waits until those of all peers have, and
   * all messages are sent.
   */
  async endPhase(fabric: Fabric<VectorMessage>): Promise<void> {
    const start = fabric.now()
    const phase = this.#phase + 1
    const isWorker = this.#reached.has(fabric.self)
    const announce = (names: readonly PeerName[]) =>
      names.filter((name) => !this.#send(this.#options.peers.indexOf(name), this.#reachedMessage(phase), false))
    if (isWorker) {
      this.#reached.set(fabric.self, phase)
      announce(this.#options.peers.filter((name) => name !== fabric.self))
    }
    const behind = () => [...this.#reached].filter(([, reached]) => reached < phase).map(([name]) => name)
    await this.until(
      fabric,
      () => behind().length === 0 && this.#outbox.isEmpty,
      (silence) => {
        // A peer that is behind may be computing for long; a peer that is gone cannot be sent to.
        const unreachable = announce(behind())
        const missing = silence >= maxTimeouts ? behind() : unreachable
        if (missing.length > 0)
          throw this.#missing(
            `waited ${silence * this.#options.timeout} ms for ${missing.join(', ')} to end phase ${this.#phase}`,
            missing
          )
      }
    )
    this.waited += fabric.now() - start
  }

  /** Begins the next phase, and processes the messages that have arrived for it. */
  beginPhase(): void {
    this.#phase++
    const later = this.#later
    this.#later = []
    this.#laterOf.clear()
    for (const envelope of later) this.#accept(envelope)
  }

  /** Wakes all waiting activities of the peer, to check their conditions. */
  wakeAll(): void {
    for (let count = this.#waiting; count > 0; count--) this.#fabric.wake()
  }

  /** Wakes the activities whose operation has ended, and all when no operation is open: some wait for that. */
  #wakeEnded(): void {
    if (this.server.open === 0) return this.wakeAll()
    for (const operation of this.#awaited) if (operation.open === 0) this.#fabric.wake(operation)
  }

  /** Returns whether the message is progress; a repeated 'reached' is not. */
  #accept(envelope: Envelope<VectorMessage>): boolean {
    const { from, message } = envelope
    const { peers, width, count } = this.#options
    const decoded = messageOf(message, { width, count, peers: peers.length })
    if (typeof decoded === 'string') return this.#refuse(envelope, decoded)
    if (!areBelow(decoded.values, suspicious)) this.#noteLarge(from, decoded.values)
    if (decoded.type === 'reached' && !this.#noteReached(envelope)) return false
    this.#lastMessageAt = this.#fabric.now()
    if (decoded.type === 'reached') return true
    if (message.round > this.#phase + 1)
      return this.#refuse(envelope, `a message of phase ${message.round}; expected at most ${this.#phase + 1}`)
    if (message.round > this.#phase) return this.#keepForLater(envelope)
    const ended = this.server.ended
    const problem = this.server.receive(peers.indexOf(from), decoded)
    if (problem !== undefined) return this.#refuse(envelope, problem)
    this.#fabric.recycle(message)
    if (this.server.ended > ended) this.#wakeEnded()
    return true
  }

  #noteLarge(from: PeerName, values: Float32Array): void {
    const size = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), this.#large.get(from) ?? 0)
    this.#large.set(from, size)
  }

  #refuse(envelope: Envelope<VectorMessage>, reason: string): false {
    this.#fabric.reject(envelope, reason)
    return false
  }

  #keepForLater(envelope: Envelope<VectorMessage>): boolean {
    const { from, message } = envelope
    const numbers = (this.#laterOf.get(from) ?? 0) + message.vector.length + 1
    const most = maxLater * (this.#options.length + 1)
    if (numbers > most) return this.#refuse(envelope, `more than ${most} numbers of the next phase`)
    this.#laterOf.set(from, numbers)
    this.#later.push(envelope)
    return true
  }

  /**
   * Returns whether it is news: a waiting peer repeats it, and servers send it to check that the receiver can be
   * reached.
   */
  #noteReached(envelope: Envelope<VectorMessage>): boolean {
    const { from, message } = envelope
    const isServer = !this.#reached.has(from) && this.#options.peers.includes(from)
    const endedPhase = isServer ? Number.POSITIVE_INFINITY : this.#reached.get(from)
    if (endedPhase === undefined || message.round > endedPhase + 1)
      return this.#refuse(
        envelope,
        `the end of phase ${message.round} from a peer that has ended ${endedPhase ?? 0} phases`
      )
    this.#fabric.recycle(message)
    if (message.round <= endedPhase) return false
    this.#reached.set(from, message.round)
    this.wakeAll()
    return true
  }

  #reachedMessage(phase: number): KeyMessage & { readonly phase: number } {
    return { type: 'reached', origin: this.self, id: 0, keys: noKeys, values: noValues, phase }
  }

  /** Sends a message, split if it is too long; returns whether its receiver can be reached. */
  #send(to: number, message: KeyMessage & { readonly phase?: number }, isNeeded = true): boolean {
    const { width, peers } = this.#options
    const { keys, values, phase = this.#phase } = message
    const isLong = keys.length > this.#maxKeys
    const wasEmpty = this.#outbox.isEmpty
    for (let start = 0; start === 0 || start < keys.length; start += this.#maxKeys) {
      const end = Math.min(keys.length, start + this.#maxKeys)
      const rows = values.length > 0 ? values.subarray(start * width, end * width) : values
      const part = isLong ? { ...message, keys: keys.subarray(start, end), values: rows } : message
      const result = this.#outbox.send(peers[to], vectorOf(part, phase))
      if (result === 'queued') continue
      if (!isNeeded) return result === 'full'
      const reason = result === 'full' ? 'too many messages wait until it takes them' : 'it is unreachable'
      throw this.#missing(`cannot send to ${peers[to]}: ${reason}`, [peers[to]])
    }
    // An activity that waits until its deadline must look for room from now on.
    if (wasEmpty && !this.#outbox.isEmpty) this.#fabric.wake()
    return true
  }

  #sendUnsent(): void {
    this.#outbox.retry()
    const time = silentTimeouts * this.#options.timeout
    const stalled = this.#outbox.stalled(time)
    if (stalled.length > 0)
      throw this.#missing(`cannot send to ${stalled.join(', ')}: nothing was taken for ${time} ms`, stalled)
  }

  #missing(what: string, missing: readonly PeerName[]): NeighboursMissingError {
    return new NeighboursMissingError(missing, `${this.#fabric.self} ${what}${this.suspected}`)
  }
}
