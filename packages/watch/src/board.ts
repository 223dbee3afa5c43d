/** What the watching peer knows of all peers. It does no I/O. */
import type { Milliseconds, PeerName } from '@murmuration/core'
import { History } from './history.js'
import type {
  Condition,
  CurveRow,
  EpochNow,
  Known,
  PeerView,
  RunFacts,
  Second,
  SnapshotMessage,
  SwarmEvent,
  SwarmNow,
  UpdateMessage
} from './messages.js'
import { type PeerReport, readReport } from './report.js'

/** What the watching peer knows of another peer without its reports. */
export interface PeerStanding {
  readonly condition: Condition
  readonly round: number
  readonly life: number
  readonly waitsFor: readonly PeerName[]
}

/** What the watching peer knows of the swarm. */
export interface Membership {
  readonly state: string
  readonly members: number
  readonly present: number
  standingOf(peer: PeerName): PeerStanding
}

/** The newest news of the swarm that are in no report. */
interface SwarmNews {
  /** Of the mean model, on the test set. */
  readonly accuracy?: number | undefined
  readonly epoch?: EpochNow
}

interface Received {
  readonly report: PeerReport
  readonly at: Milliseconds
  readonly previous?: PeerReport | undefined
}

/** A report is fresh for this time and one interval. The rates in an older one are no longer valid. */
const freshFor: Milliseconds = 5000
const maxEvents = 60
const maxEventLength = 400

const unknownStanding: PeerStanding = { condition: 'absent', round: 0, life: 0, waitsFor: [] }

export class Board {
  readonly facts: RunFacts
  readonly #names: readonly PeerName[]
  readonly #knownNames: ReadonlySet<string>
  readonly #reports = new Map<PeerName, Received>()
  readonly #history: History
  readonly #start: Milliseconds
  readonly #interval: Milliseconds
  #events: readonly SwarmEvent[] = []
  #news: SwarmNews = {}
  #now: SwarmNow | undefined

  /** @param interval - between two reports of a peer */
  constructor(facts: RunFacts, interval: Milliseconds, now: Milliseconds) {
    this.facts = facts
    this.#names = [...facts.peers, ...facts.servers]
    this.#knownNames = new Set(this.#names)
    this.#history = new History(this.#names.length)
    this.#start = now
    this.#interval = interval
  }

  /** Takes a received report. Returns what is wrong with it; undefined when it is valid. */
  take(from: PeerName, note: string, now: Milliseconds): string | undefined {
    const report = readReport(note, this.#knownNames)
    if (typeof report === 'string') return report
    this.add(from, report, now)
    return undefined
  }

  add(from: PeerName, report: PeerReport, now: Milliseconds): void {
    if (this.#knownNames.has(from))
      this.#reports.set(from, { report, at: now, previous: this.#reports.get(from)?.report })
  }

  /** Sets what this peer has learned of the swarm. */
  learn(news: SwarmNews): void {
    this.#news = { ...this.#news, ...news }
  }

  /** Adds an event for people to read. */
  note(text: string, now: Milliseconds): void {
    const event = { time: this.#seconds(now), text: text.slice(0, maxEventLength) }
    this.#events = [...this.#events, event].slice(-maxEvents)
  }

  /** To be called every second. Returns what an open page must be told. */
  tick(now: Milliseconds, membership?: Membership): UpdateMessage | SnapshotMessage {
    const swarm = (this.#now = this.#swarm(now, membership))
    const second = swarm.peers.map((peer) => (this.#isFresh(peer.age) ? secondOf(peer) : null))
    const row: CurveRow = {
      time: swarm.time,
      losses: swarm.peers.map(({ loss, age }) => (this.#isFresh(age) ? orNull(loss) : null)),
      accuracy: orNull(swarm.accuracy),
      consensusDistance: orNull(swarm.consensusDistance),
      sentRate: swarm.sentRate
    }
    const outcome = this.#history.add(row, second)
    if (outcome === 'thinned') return this.snapshot()
    return { kind: 'update', ...(outcome === 'kept' ? { row } : {}), second, now: swarm }
  }

  /** The state at the last tick. */
  get now(): SwarmNow {
    return (this.#now ??= this.#swarm(this.#start, undefined))
  }

  /** The first message for a page that opens. */
  snapshot(): SnapshotMessage {
    const { rows, seconds } = this.#history
    return { kind: 'snapshot', facts: this.facts, curves: rows, seconds, now: this.now }
  }

  #swarm(now: Milliseconds, membership: Membership | undefined): SwarmNow {
    const peers = this.#names.map((name) => this.#view(name, now, membership))
    const fresh = peers.filter(({ age }) => this.#isFresh(age))
    const sum = (pick: (peer: PeerView) => number) => fresh.reduce((total, peer) => total + pick(peer), 0)
    const { state, members, present } = membership ?? {}
    const consensus = this.#reports.get(this.facts.self)?.report.consensusDistance
    return {
      time: this.#seconds(now),
      state,
      members,
      present,
      epoch: this.#news.epoch,
      loss: mean(fresh.flatMap(({ loss }) => loss ?? [])),
      accuracy: this.#news.accuracy ?? mean(peers.flatMap(({ accuracy }) => accuracy ?? [])),
      consensusDistance: consensus ?? mean(fresh.flatMap(({ name }) => this.#consensusOf(name) ?? [])),
      gap: newestGap(fresh.flatMap(({ name }) => this.#reports.get(name)?.report ?? [])),
      samplesRate: sum(({ samplesRate }) => samplesRate),
      sentRate: sum(({ sentRate }) => sentRate),
      peers,
      events: this.#events
    }
  }

  #consensusOf(peer: PeerName): number | undefined {
    return this.#reports.get(peer)?.report.consensusDistance
  }

  #view(name: PeerName, now: Milliseconds, membership: Membership | undefined): PeerView {
    const received = this.#reports.get(name)
    const isServer = this.facts.servers.includes(name)
    const standing = isServer ? undefined : membership?.standingOf(name)
    const { condition, round, life, waitsFor } = standing ?? this.#standingByReports(received, now)
    const common = { name, condition, life, waitsFor }
    if (received === undefined) return { ...common, round, ...noFigures }
    const { report, at, previous } = received
    const { phase, state, loss, accuracy, samples, bytesSent, bytesReceived, links } = report
    const age = (now - at) / 1000
    const rate = this.#isFresh(age) ? ratesOf(report, previous) : noRates
    return {
      ...common,
      phase,
      state,
      round: Math.max(report.round, round),
      age,
      loss,
      accuracy,
      samples,
      bytesSent,
      bytesReceived,
      links,
      ...rate
    }
  }

  #standingByReports(received: Received | undefined, now: Milliseconds): PeerStanding {
    if (received === undefined) return unknownStanding
    const { round, life, phase } = received.report
    const isFresh = this.#isFresh((now - received.at) / 1000)
    const condition = phase === 'finished' ? 'done' : isFresh ? 'here' : 'silent'
    return { condition, round, life, waitsFor: [] }
  }

  /** Whether a report of this age, in seconds, is fresh. */
  #isFresh(age: number | undefined): boolean {
    return age !== undefined && age * 1000 <= freshFor + this.#interval
  }

  #seconds(now: Milliseconds): number {
    return Math.round(now - this.#start) / 1000
  }
}

const noFigures = {
  samples: 0,
  samplesRate: 0,
  bytesSent: 0,
  bytesReceived: 0,
  sentRate: 0,
  receivedRate: 0,
  working: 0,
  waiting: 0,
  sending: 0,
  links: []
}
const noRates = { samplesRate: 0, sentRate: 0, receivedRate: 0, working: 0, waiting: 0, sending: 0 }

function ratesOf(report: PeerReport, previous: PeerReport | undefined) {
  const { working, waiting, sending } = report
  const time = previous === undefined ? 0 : report.seconds - previous.seconds
  const rate = (pick: (of: PeerReport) => number) =>
    previous === undefined || time <= 0 ? 0 : Math.max(0, (pick(report) - pick(previous)) / time)
  return {
    working,
    waiting,
    sending,
    samplesRate: rate(({ samples }) => samples),
    sentRate: rate(({ bytesSent }) => bytesSent),
    receivedRate: rate(({ bytesReceived }) => bytesReceived)
  }
}

const orNull = (value: number | undefined): Known => value ?? null

const secondOf = ({ working, waiting, sending }: PeerView): Second => [
  percent(working),
  percent(waiting),
  percent(sending)
]

const percent = (fraction: number) => Math.round(100 * fraction)

function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The gap that the peer knows that is furthest. */
function newestGap(reports: readonly PeerReport[]): number | undefined {
  const known = reports.filter(({ gap }) => gap !== undefined)
  return known.toSorted((left, right) => right.round - left.round).at(0)?.gap
}
