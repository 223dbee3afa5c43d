/**
 * Whole peers as transcripts: simulated D-PSGD on a ring, seen by the messages that the peers send. Outputs begin with
 * the time in seconds.
 */
import { dpsgd, Members, Session } from '@murmuration/algorithms'
import { type Input, type Protocol, quadratics, type TranscriptRun } from '@murmuration/contract'
import { type Fabric, fabricWith, type Milliseconds, type PeerName, peerName } from '@murmuration/core'
import { trustingSigner } from '@murmuration/membership'
import { type FaultEvent, type FaultRule, simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology } from '@murmuration/topology'
import { type VectorMessage, vectorWire } from '@murmuration/wire'

/** The transcripts of rounds between whole peers, and of how a peer takes the state of another. */
export const protocol: Protocol = {
  folder: new URL('../../src/transcripts/', import.meta.url),
  start: (put) => new Run(put)
}

/** The wire numbers of D-PSGD. */
const kinds: Readonly<Record<number, (message: VectorMessage) => string>> = {
  1: ({ round }) => `X ${round}`,
  3: ({ round }) => `SKIP ${round}`,
  4: ({ round }) => `WITHDRAW ${round}`,
  7: () => 'ask',
  8: ({ numbers: [round] = [] }) => `state of round ${round}`,
  9: () => 'refused'
}
const faults: Readonly<Record<string, 'crash' | 'restart' | 'freeze' | 'thaw'>> = {
  crashes: 'crash',
  restarts: 'restart',
  freezes: 'freeze',
  thaws: 'thaw'
}
const milliseconds = (seconds: string): Milliseconds => 1000 * Number(seconds)

class Run implements TranscriptRun {
  readonly inputs: readonly Input[] = [
    [
      /(.+) train for (\d+) rounds of ([\d.]+) s, with a timeout of ([\d.]+) s/,
      (names, ...numbers) => this.#plan(names, numbers)
    ],
    [/they may come and go/, () => void (this.#isOfMembers = true)],
    [/(\w) (crashes|restarts|freezes|thaws) at ([\d.]+) s/, (name, what, at) => this.#fault(name, what, at)],
    [/(\w) → (\w) is stopped from ([\d.]+) s to ([\d.]+) s/, (...link) => this.#stop(link)],
    [/(\w) → (\w) loses what is sent from ([\d.]+) s to ([\d.]+) s/, (...link) => this.#lose(link)],
    [/run, and show what (\w) and (\w) send each other/, (a, b) => this.#run(new RegExp(`${a} → ${b}|${b} → ${a}`))],
    [/run, and show asks and answers/, () => this.#run(/ask|state|refused/)]
  ]
  readonly #put: (output: string) => void
  #peers: readonly PeerName[] = []
  #rounds = 0
  #gradient: Milliseconds = 0
  #timeout: Milliseconds = 0
  #isOfMembers = false
  #shown = /./
  readonly #rules: FaultRule[] = []
  readonly #events: FaultEvent[] = []
  readonly #lives = new Map<PeerName, number>()

  constructor(put: (output: string) => void) {
    this.#put = put
  }

  #plan(names: string, [rounds = '', gradient = '', timeout = '']: readonly string[]): void {
    this.#peers = names.split(', ').map(peerName)
    this.#rounds = Number(rounds)
    this.#gradient = milliseconds(gradient)
    this.#timeout = milliseconds(timeout)
  }

  #fault(name: string, what: string, at: string): void {
    this.#events.push({ at: milliseconds(at), kind: faults[what] ?? 'crash', peer: peerName(name) })
  }

  #stop([from = '', to = '', begin = '', end = '']: readonly string[]): void {
    const link = { from: peerName(from), to: peerName(to) }
    this.#events.push({ at: milliseconds(begin), kind: 'clog', ...link })
    this.#events.push({ at: milliseconds(end), kind: 'unclog', ...link })
  }

  #lose([from = '', to = '', begin = '', end = '']: readonly string[]): void {
    const when = { after: milliseconds(begin), until: milliseconds(end) }
    this.#rules.push({ from: peerName(from), to: peerName(to), ...when, verdict: 'drop' })
  }

  async #run(shown: RegExp): Promise<void> {
    this.#shown = shown
    const topology = createTopology({ peers: this.#peers, graph: { kind: 'ring' } })
    const { taskOf } = quadratics(topology)
    const program = async (inner: Fabric<VectorMessage>) => {
      const { self } = inner
      const fabric = fabricWith(inner, { send: (to, message) => this.#sent(inner, to, message) })
      const wait = { start: 60_000, pause: 60_000 }
      const members = this.#isOfMembers ? new Members(fabric, { topology, signer: trustingSigner, wait }) : undefined
      const session = new Session(fabric, taskOf(self), {
        algorithm: dpsgd,
        seed: 1,
        batchSize: 4,
        rounds: this.#rounds,
        finalRounds: 0,
        rate: () => 0.05,
        timeout: this.#timeout,
        workers: topology.peers,
        ...(members && { members })
      })
      for await (const { round, life = 1 } of session.steps()) this.#stepped(fabric, round, life)
      members?.end()
      this.#happens(fabric.now(), `${self} has ended`)
    }
    const cost = ({ kind }: { readonly kind: string }) => (kind === 'gradient' ? this.#gradient : 0)
    const observer = { fault: (event: FaultEvent) => this.#broke(event) }
    const planned = { rules: this.#rules, events: this.#events.sort((left, right) => left.at - right.at) }
    const links = uniformLinks({ latency: 5 })
    await simulate({ topology, seed: 1, wire: vectorWire, links, cost, faults: planned, observer }, program)
  }

  #sent(fabric: Fabric<VectorMessage>, to: PeerName, message: VectorMessage): ReturnType<typeof fabric.send> {
    const words = kinds[message.kind]?.(message) ?? `kind ${message.kind}`
    const text = `${fabric.self} → ${to}  ${words}`
    if (this.#shown.test(text)) this.#happens(fabric.now(), text)
    return fabric.send(to, message)
  }

  #stepped({ self, now }: Pick<Fabric<VectorMessage>, 'self' | 'now'>, round: number, life: number): void {
    if (life > (this.#lives.get(self) ?? 1)) this.#happens(now(), `${self} has trained round ${round}, in life ${life}`)
    this.#lives.set(self, life)
  }

  #broke(event: FaultEvent): void {
    const what = Object.keys(faults).find((name) => faults[name] === event.kind)
    if ('peer' in event) this.#happens(event.at, `${event.peer} ${what}`)
    if ('from' in event)
      this.#happens(event.at, `${event.from} → ${event.to} is ${event.kind === 'clog' ? 'stopped' : 'free'}`)
  }

  #happens(at: Milliseconds, what: string): void {
    this.#put(`${(at / 1000).toFixed(3).padStart(7)}  ${what}`)
  }
}
