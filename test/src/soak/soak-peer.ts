import { timeLimit } from '@murmuration/contract'
import { deferred, type PeerName } from '@murmuration/core'
import {
  createIdentity,
  createPeer,
  type Limits,
  type Peer,
  type PeerEvent,
  type PeerListEntry
} from '@murmuration/libp2p'
import { createTopology } from '@murmuration/topology'
import { sampleMemory } from './memory.js'
import type { ChildReport, SoakTask, FromSoakPeer } from './messages.js'
import { Rounds } from './rounds.js'

/**
 * A frozen connection thaws by itself, and every other fault can be seen from its ends. So no connection has to be
 * given up for its silence, and one that hangs must be detected before it is repaired that way. Vectors stay on the
 * disturbed connections: a data channel would bypass the relays.
 */
const limits: Partial<Limits> = {
  heartbeat: 1_000,
  silentAfter: 5_000,
  deadAfter: 600_000,
  channelFrom: Number.POSITIVE_INFINITY,
  closeTimeout: timeLimit(30_000)
}

/** Kinds of events that no cut connection explains. */
const alarming: readonly PeerEvent['kind'][] = ['bad-frame', 'refused', 'activity-failed']

/** The counted events. */
interface CountedEvents {
  reconnections: number
}

/** A peer that exchanges versions with its neighbours as far as it is permitted. */
export class SoakPeer {
  readonly #task: SoakTask
  readonly #tell: (message: FromSoakPeer) => void
  readonly #peer: Peer
  readonly #rounds: Rounds
  readonly #seen: CountedEvents
  #granted = 0
  #more = deferred<void>()
  #longest = 0
  #sampled = 0

  /** Starts a peer that listens, and reports that. */
  static async start(task: SoakTask, tell: (message: FromSoakPeer) => void): Promise<SoakPeer> {
    const { self, peers, seed, elements, codec } = task
    const seen = { reconnections: 0 }
    const onEvent = (event: PeerEvent) => {
      if (event.kind === 'reconnecting') seen.reconnections++
      if (alarming.includes(event.kind)) tell({ kind: 'failed', reason: JSON.stringify(event) })
    }
    const peer = await createPeer({
      self,
      identity: await createIdentity(),
      topology: createTopology({ peers, graph: { kind: 'ring' } }),
      seed,
      listen: ['/ip4/127.0.0.1/tcp/0'],
      runSettings: { settings: { run: 'soak' }, schema: [{ name: 'numbers', shape: [elements] }], start: '0' },
      onEvent,
      limits,
      ...(codec === undefined ? {} : { codec })
    })
    tell({ kind: 'listening', id: peer.id, addresses: peer.addresses })
    return new SoakPeer(task, tell, peer, seen)
  }

  private constructor(task: SoakTask, tell: (message: FromSoakPeer) => void, peer: Peer, seen: CountedEvents) {
    this.#seen = seen
    this.#task = task
    this.#tell = tell
    this.#peer = peer
    const { peers, elements, timeout, codec } = task
    const exact = codec === undefined || codec === 'float32'
    const standing = (neighbour: PeerName) => this.#standingOf(neighbour)
    this.#rounds = new Rounds({ fabric: peer.fabric, peers, elements, timeout, exact, standing })
  }

  /** Lets the rounds below `rounds` begin. */
  grant(rounds: number): void {
    this.#granted = rounds
    this.#more.resolve()
  }

  /** Connects and runs rounds as they are permitted, until it is closed. */
  async run(peerList: readonly PeerListEntry[]): Promise<void> {
    const { fabric } = this.#peer
    await this.#peer.connect(peerList, this.#task.timeout)
    while (!fabric.signal.aborted) {
      this.#more = deferred()
      while (this.#rounds.round < this.#granted) await this.#round()
      await this.#more.promise
    }
  }

  async #round(): Promise<void> {
    const { fabric } = this.#peer
    const round = this.#rounds.round
    const start = fabric.now()
    await this.#rounds.run()
    this.#longest = Math.max(this.#longest, fabric.now() - start)
    const due = fabric.now() - this.#sampled >= this.#task.sampleEvery
    if (due) this.#sampled = fabric.now()
    this.#tell({ kind: 'completed', round, memory: due ? sampleMemory() : undefined })
  }

  /** Closes the peer, and returns its result. */
  async close(): Promise<ChildReport> {
    await this.#peer.close()
    this.#more.resolve()
    const { received, retransmissions, duplicates, badFrames } = this.#peer.traffic()
    return {
      rounds: this.#rounds.round,
      received: received.frames,
      retransmissions,
      duplicates,
      badFrames,
      reconnections: this.#seen.reconnections,
      longest: this.#longest,
      peak: process.resourceUsage().maxRSS * 1024
    }
  }

  /** The status of the peer, for finding what is stuck. */
  standing(): string {
    const neighbours = this.#peer.neighbours().map(({ name }) => `${name}: ${this.#standingOf(name)}`)
    return `round ${this.#rounds.round} of ${this.#granted}; ${neighbours.join('; ')}`
  }

  #standingOf(name: PeerName): string {
    const status = this.#peer.neighbours().find((neighbour) => neighbour.name === name)
    if (status === undefined) return 'no neighbour'
    const { state, reason, silentFor, queue, traffic } = status
    const { sent, received, retransmissions } = traffic
    return (
      `${state}${reason && `, ${reason}`}, heard ${Math.round(silentFor ?? Number.NaN)} ms ago, ` +
      `${queue} frames unacknowledged, ${sent.frames} sent, ${retransmissions} again, ${received.frames} received`
    )
  }
}
