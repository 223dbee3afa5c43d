import type { OtherPeer, RunEvent as PeerRunEvent } from '@murmuration/experiment/peer'
import type { PeerView, RunEvent, RunPhase } from './run.js'

/** How often the other peers are looked at, in milliseconds. */
const lookEvery = 1000

/** The events of a peer, in the words of a page. */
export class TabProgress {
  readonly #rounds: number
  readonly #emit: (event: RunEvent) => void
  #phase: RunPhase | undefined
  #accuracy: number | undefined
  #looking: ReturnType<typeof setInterval> | undefined
  #look = () => {}

  constructor(rounds: number, emit: (event: RunEvent) => void) {
    this.#rounds = rounds
    this.#emit = emit
  }

  /** Tells where the tab is, if that is new. */
  phase(phase: RunPhase, text: string): void {
    if (this.#phase === phase) return
    this.#phase = phase
    this.#emit({ kind: 'phase', phase, text })
  }

  /** Tells the state of the other peers from time to time. */
  watch(others: () => readonly OtherPeer[]): void {
    this.#look = () => this.#emit({ kind: 'peers', peers: others().map(viewOf) })
    this.#looking = setInterval(this.#look, lookEvery)
    this.#look()
  }

  /** Takes an event of the peer. */
  readonly take = (event: PeerRunEvent): void => {
    switch (event.kind) {
      case 'peer':
        return this.phase('connecting', 'The other peers are called.')
      case 'neighbour':
        if (event.state === 'ready' && this.#phase === 'connecting')
          this.phase('admitted', `Connected to ${event.neighbour}.`)
        return
      case 'membership':
        if (event.state === 'partitioned' || event.state === 'isolated')
          this.phase('waiting', `Too few peers are reached: ${event.text}`)
        return this.#emit({ kind: 'note', text: event.text })
      case 'step':
        if (event.loss === undefined) return
        this.phase('training', 'Training with the other peers.')
        return this.#emit({
          kind: 'step',
          round: event.round + 1,
          rounds: this.#rounds,
          loss: event.loss,
          ...(this.#accuracy !== undefined && { accuracy: this.#accuracy })
        })
      case 'evaluation':
        this.#accuracy = event.accuracy
        return
      case 'note':
        return this.#emit({ kind: 'note', text: event.text })
      default:
    }
  }

  /** Tells the state of the other peers for the last time. */
  end(): void {
    clearInterval(this.#looking)
    this.#look()
  }
}

function viewOf({ name, condition, link }: OtherPeer): PeerView {
  const { sent, received } = link?.traffic ?? {}
  const bytes = (direction: typeof sent) => (direction === undefined ? 0 : direction.payload + direction.overhead)
  return {
    name,
    state: condition ?? link?.state ?? 'unknown',
    ...(link?.state === 'ready' && { link: link.relay === undefined ? 'direct' : 'relayed' }),
    sent: bytes(sent),
    received: bytes(received)
  }
}
