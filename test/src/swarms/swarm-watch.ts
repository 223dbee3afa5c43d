/** Checks the peers of a simulated swarm while it runs. The invariants are those of docs/understand/membership.md. */
import type { Algorithm, Members, Mixing, Session } from '@murmuration/algorithms'
import type { Fabric, Milliseconds, PeerName, StepReport, Topology } from '@murmuration/core'
import { type MemberChange, ownShare, type Signer } from '@murmuration/membership'
import type { FaultEvent } from '@murmuration/simulator'
import type { VectorMessage } from '@murmuration/wire'
import { Books, type VectorUse } from './books.js'
import { KnowledgeWatch } from './knowledge-watch.js'
import { ProgressWatch } from './progress-watch.js'
import { isExchanging, type RecordListener, watched } from './watched-record.js'

/** What is watched. */
export interface Watched {
  readonly topology: Topology
  readonly algorithm: Algorithm
  /** Whether vectors arrive bit by bit as they were sent. */
  readonly isLossless: boolean
  /** The maximum duration of a round of a peer in the majority. */
  readonly longestRound: Milliseconds
  /** When the last fault ends. */
  readonly healedAt: Milliseconds
  /** For the canaries: how they change the algorithm. */
  readonly algorithmOf?: (algorithm: Algorithm) => Algorithm
}

/** What a process uses in place of its own objects. */
export interface PeerWatch {
  readonly algorithm: Algorithm
  readonly signer: Signer
  changed(change: MemberChange): void
  begins(session: Session, members: Members): void
  stepped(report: StepReport): void
  /** It has finished, or has left. */
  ended(how: 'finished' | 'left'): void
}

/** The kind on the wire of the first channel of every algorithm. */
const modelKind = 1
/**
 * How many models of a peer are kept, to identify the origin of a state: of all rounds for which a peer may be frozen
 * with a state in flight to it.
 */
const maxModels = 128
/** Most findings come in thousands. */
const maxFindings = 10

export class SwarmWatch {
  readonly #options: Watched
  readonly #found = new Set<string>()
  readonly #sessions = new Map<PeerName, Session>()
  readonly #rounds = new Map<PeerName, number>()
  readonly #models = new Map<PeerName, Float32Array[]>()
  readonly #finished = new Set<PeerName>()
  readonly #books: Books | undefined
  readonly #sent = new Map<string, number>()
  /** The fractions of its own model that a peer may keep when it meets others from which it trained apart. */
  readonly #shares = new Map<PeerName, readonly number[]>()
  readonly knowledge: KnowledgeWatch
  readonly progress: ProgressWatch

  constructor(options: Watched) {
    this.#options = options
    const find = (what: string) => this.find(what)
    const { topology, algorithm, isLossless, longestRound, healedAt } = options
    const owing = (peer: PeerName) => this.#sessions.get(peer)?.edges.owing ?? []
    const ended = (peer: PeerName) => this.#rounds.get(peer) ?? -1
    if (algorithm.keeps === 'mean' && isExchanging(algorithm) && isLossless && isSymmetric(topology))
      this.#books = new Books({ owing, ended }, find)
    this.knowledge = new KnowledgeWatch(topology.peers, healedAt, find)
    this.progress = new ProgressWatch(longestRound, find)
  }

  /** The findings, each once. At the end they include exchanges that are still open between finished peers. */
  get findings(): readonly string[] {
    this.#books?.checkEnd(this.#finished)
    return [...this.#found]
  }

  find(what: string): void {
    if (this.#found.size < maxFindings) this.#found.add(what)
  }

  /** A fault begins or ends. */
  fault(event: FaultEvent): void {
    this.knowledge.fault(event)
    this.progress.fault(event)
    if (event.kind === 'crash') this.#ends(event.peer)
  }

  /** A process of a peer starts. */
  process(fabric: Fabric<VectorMessage>): PeerWatch {
    const { self } = fabric
    const { algorithm, algorithmOf = (given: Algorithm) => given } = this.#options
    const round = new Round(
      self,
      this.#books,
      (from, use) => this.#hasSent(self, from, use),
      (what) => this.find(what)
    )
    const isWatched = isExchanging(algorithm)
    let mixed = -1
    const keepsMean = isWatched && algorithm.keeps === 'mean'
    const listener: RecordListener = {
      began: (x) => {
        this.#checkTaken(self, x)
        // Others may take it before a round of this peer has ended.
        this.#remember(self, x)
        this.#rounds.delete(self)
        mixed = -1
        this.#books?.beginLife(self, x)
        round.began(x)
      },
      mixes: (W, uses) => {
        mixed = W.round
        round.mixes(W, uses, keepsMean)
      },
      late: (use) => round.late(use)
    }
    this.#listen(fabric)
    this.#finished.delete(self)
    this.progress.begin(self)
    return {
      algorithm: isWatched ? watched(algorithmOf(algorithm), listener) : algorithmOf(algorithm),
      signer: this.knowledge.signerOf(self),
      changed: (change) => {
        this.knowledge.changed(self, change, fabric.now())
        this.progress.recordChange(self, change, fabric.now())
        if (change.kind === 'reunited') this.#shares.set(self, [ownShare(change, true), ownShare(change, false)])
      },
      begins: (session, members) => {
        this.#sessions.set(self, session)
        this.knowledge.begins(self, members)
      },
      stepped: (report) => {
        // An exchange may be in flight for some rounds.
        this.#rounds.set(self, isWatched && report.phase === 'train' ? mixed : report.round)
        if (this.#options.isLossless && keepsMean && report.phase === 'train') round.ended(report)
        this.#books?.checkRound(self)
        this.#remember(self, report.parameters)
        this.progress.recordStep(self, fabric.now())
        this.knowledge.check(fabric.now())
      },
      ended: (how) => {
        if (how === 'left') return this.#ends(self)
        this.#finished.add(self)
        this.knowledge.ended(self, true)
      }
    }
  }

  #ends(peer: PeerName): void {
    this.#books?.endLife(peer)
    this.knowledge.ended(peer, false)
    this.#sessions.delete(peer)
  }

  #listen(fabric: Fabric<VectorMessage>): void {
    const { self } = fabric
    const send = fabric.send.bind(fabric)
    fabric.send = (to, message) => {
      const result = send(to, message)
      const { kind, round, numbers = [] } = message
      if (result !== 'queued' || kind !== modelKind) return result
      const [, life = 1, toLife = 1] = numbers
      this.#sent.set(`${self} ${to}`, round)
      this.#books?.sent(self, to, { round, life, toLife })
      return result
    }
  }

  /** Whether the sender has sent for this round or a later one. */
  #hasSent(self: PeerName, from: PeerName, { round }: VectorUse): boolean {
    return (this.#sent.get(`${from} ${self}`) ?? -1) >= round
  }

  #remember(peer: PeerName, model: Float32Array): void {
    const models = this.#models.get(peer) ?? []
    this.#models.set(peer, models)
    models.push(model.slice())
    if (models.length > maxModels) models.shift()
  }

  /** A state that is taken is, whatever the codec, a recent model of a peer, or a mix of such a model and its own. */
  #checkTaken(self: PeerName, x: Float32Array): void {
    if (!this.#sessions.has(self) || x.every((value) => value === 0)) return
    const shares = this.#shares.get(self) ?? []
    const own = this.#models.get(self)?.at(-1)
    const isOf = (model: Float32Array) => model.every((value, index) => value === x[index])
    const isMixed = (model: Float32Array) =>
      own !== undefined &&
      shares.some((share) =>
        model.every((value, index) => {
          const mine = share * own[index]
          const theirs = (1 - share) * value
          return Math.abs(mine + theirs - x[index]) <= 2 ** -22 * (Math.abs(mine) + Math.abs(theirs))
        })
      )
    const models = [...this.#models.values()].flat()
    if (!models.some(isOf) && !models.some(isMixed)) this.find(`${self} continues from a state that no peer had`)
  }
}

/** What is added to the values of one process in the present round. */
class Round {
  #before = new Float32Array(0)
  #flows = new Float64Array(0)

  constructor(
    readonly self: PeerName,
    readonly books: Books | undefined,
    readonly hasSent: (from: PeerName, use: VectorUse) => boolean,
    readonly find: (what: string) => void
  ) {}

  began(x: Float32Array): void {
    this.#before = x.slice()
    this.#flows = new Float64Array(x.length)
  }

  mixes(W: Mixing, uses: readonly VectorUse[], keepsMean: boolean): void {
    let own = 1
    for (const use of uses) {
      own -= use.weight
      if (!(use.weight >= 0)) this.find(`${this.self} has a weight of ${use.weight} in round ${W.round}`)
      if (!this.hasSent(use.from, use))
        this.find(`${this.self} has used what ${use.from} did not send in round ${W.round}`)
      if (keepsMean) this.late(use)
    }
    if (keepsMean && own < -1e-9) this.find(`${this.self} has a weight of ${own} for its own in round ${W.round}`)
  }

  late(use: VectorUse): void {
    for (let index = 0; index < this.#flows.length; index++)
      this.#flows[index] += use.weight * (use.theirs[index] - use.mine[index])
    this.books?.recordUse(this.self, use)
  }

  /** The values have changed only by the optimiser, by what crossed the edges, and by float32 rounding. */
  ended({ round, parameters, moves }: StepReport): void {
    const wrong = parameters.findIndex((value, index) => {
      const moved = moves.reduce((sum, { from, to }) => sum + to.values[index] - from.values[index], 0)
      const expected = this.#before[index] + moved + this.#flows[index]
      return Math.abs(value - expected) > 2 ** -18 * Math.max(1, Math.abs(value), Math.abs(this.#before[index]))
    })
    if (wrong >= 0) this.find(`${this.self} has other values after round ${round} than the received messages give`)
    for (const { from, to } of moves) this.books?.recordMove(this.self, from.values, to.values)
    this.began(parameters)
  }
}

function isSymmetric(topology: Topology): boolean {
  return Array.from({ length: topology.period }, (_, round) => round).every((round) =>
    topology.peers.every((peer) => {
      const { sendTo, receiveFrom } = topology.mixing(peer, round)
      return sendTo.map(({ name }) => name).join() === receiveFrom.map(({ name }) => name).join()
    })
  )
}
