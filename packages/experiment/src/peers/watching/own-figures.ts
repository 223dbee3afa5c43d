import type { Milliseconds, StepReport } from '@murmuration/core'
import type { NeighbourStatus, Peer } from '@murmuration/libp2p'
import type { MemberState } from '@murmuration/membership'
import type { LinkReport, PeerReport, Phase } from '@murmuration/watch/reports'
import type { BusyTime } from '../reporting/busy-time.js'

/** The values at the previous report. */
interface Measured {
  readonly at: Milliseconds
  readonly working: Milliseconds
  readonly waiting: Milliseconds
  readonly sending: Milliseconds
  readonly bytes: ReadonlyMap<string, { readonly sent: number; readonly received: number }>
}

/** The progress of training. */
export interface Trained {
  /** The next round. */
  readonly round: number
  /** How long this peer has waited for others so far. */
  readonly waited: Milliseconds
}

/** The figures of this peer, for its reports. */
export class OwnFigures {
  readonly #peer: Pick<Peer, 'fabric' | 'neighbours' | 'traffic' | 'sendingTime'>
  readonly #isServer: boolean
  #training: { readonly session: Trained; readonly busy: BusyTime; readonly start: Milliseconds } | undefined
  #step: Pick<StepReport, 'phase' | 'samples' | 'life' | 'consensus' | 'gap'> | undefined
  #losses: number[] = []
  #loss: number | undefined
  #accuracy: number | undefined
  #hasFinished = false
  #previous: Measured

  constructor(peer: Pick<Peer, 'fabric' | 'neighbours' | 'traffic' | 'sendingTime'>, isServer: boolean) {
    this.#peer = peer
    this.#isServer = isServer
    this.#previous = this.#measure()
  }

  /** Called when training begins. */
  begin(session: Trained, busy: BusyTime): void {
    this.#training = { session, busy, start: this.#peer.fabric.now() }
    this.#previous = this.#measure()
  }

  /** Called after each round. */
  step({ phase, samples, life, consensus, gap, loss }: StepReport): void {
    this.#step = { phase, samples, life, consensus, gap: gap ?? this.#step?.gap }
    if (loss !== undefined) this.#losses.push(loss)
  }

  /** Called after the peer's model was evaluated. */
  evaluated(accuracy: number | undefined): void {
    this.#accuracy = accuracy
  }

  finish(): void {
    this.#hasFinished = true
  }

  /** A report since the previous one. */
  report(state: MemberState | undefined): PeerReport {
    const previous = this.#previous
    const now = this.#measure()
    this.#previous = now
    const time = Math.max(1, now.at - previous.at)
    const fraction = (timeIn: (measured: Measured) => number) =>
      Math.min(1, Math.max(0, (timeIn(now) - timeIn(previous)) / time))
    const { sent, received } = this.#peer.traffic()
    return {
      phase: this.#phase,
      state,
      round: this.#training?.session.round ?? 0,
      life: this.#step?.life ?? 1,
      samples: this.#step?.samples ?? 0,
      seconds: this.#training === undefined ? 0 : (now.at - this.#training.start) / 1000,
      loss: this.#meanLoss(),
      accuracy: this.#accuracy,
      consensusDistance: this.#step?.consensus?.distance,
      gap: this.#step?.gap,
      bytesSent: sent.payload + sent.overhead,
      bytesReceived: received.payload + received.overhead,
      working: fraction(({ working }) => working),
      waiting: fraction(({ waiting }) => waiting),
      sending: fraction(({ sending }) => sending),
      links: this.#peer.neighbours().map((neighbour) => linkOf(neighbour, previous, time))
    }
  }

  get #phase(): Phase {
    if (this.#isServer) return 'serving'
    if (this.#hasFinished) return 'finished'
    if (this.#training === undefined) return 'starting'
    return this.#step?.phase === 'average' ? 'averaging' : 'training'
  }

  /** Over the rounds since the previous report; if there were none, the loss before. */
  #meanLoss(): number | undefined {
    const losses = this.#losses
    this.#losses = []
    if (losses.length > 0) this.#loss = losses.reduce((sum, loss) => sum + loss, 0) / losses.length
    return this.#loss
  }

  #measure(): Measured {
    const links = this.#peer.neighbours().map(({ name, traffic }) => [name, bytesOf(traffic)] as const)
    return {
      at: this.#peer.fabric.now(),
      working: this.#training?.busy.total ?? 0,
      waiting: this.#training?.session.waited ?? 0,
      sending: this.#peer.sendingTime,
      bytes: new Map(links)
    }
  }
}

function linkOf(
  { name, state, relay, traffic, roundTrip }: NeighbourStatus,
  { bytes }: Measured,
  time: Milliseconds
): LinkReport {
  const now = bytesOf(traffic)
  const previous = bytes.get(name)
  const rate = (direction: 'sent' | 'received') =>
    Math.round((1000 * (now[direction] - (previous?.[direction] ?? 0))) / time)
  return [
    name,
    state === 'ready' && relay !== undefined ? 'relayed' : state,
    rate('sent'),
    rate('received'),
    roundTrip ?? null
  ]
}

function bytesOf({ sent, received }: NeighbourStatus['traffic']) {
  return { sent: sent.payload + sent.overhead, received: received.payload + received.overhead }
}
