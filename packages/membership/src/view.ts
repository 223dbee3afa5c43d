import type { PeerName } from '@murmuration/core'
import { type BrokenPair, pairKey } from './graph.js'
import { type Knowledge, votesNeeded } from './knowledge.js'
import { compareTexts } from './records.js'
import { isMajority } from './majority.js'

/** The names that a peer reports now; its record may be older. */
export interface OwnReports {
  readonly self: PeerName
  readonly broken: readonly PeerName[]
  readonly silent: readonly PeerName[]
  /**
   * The peers that are out of its rows because they were late or came back too often; this peer itself, if all keep it
   * out. Not in records.
   */
  readonly out: readonly PeerName[]
}

type Reports = Omit<OwnReports, 'out'>

/** What follows from the knowledge at one moment, computed on demand. */
export class View {
  /** {@link Knowledge.electorate} */
  readonly electorate: number
  /** In the order of their names. */
  readonly members: readonly PeerName[]
  /** The members that are dead. */
  readonly dead: ReadonlySet<PeerName>
  /** The other members that are not dead, but contacts not heard recently. */
  readonly unheard: ReadonlySet<PeerName>
  readonly presentCount: number
  /** Whether those present are more than half of the {@link Knowledge.electorate}. */
  readonly isMain: boolean
  readonly #knowledge: Knowledge
  readonly #own: OwnReports
  readonly #since: number
  #present: readonly PeerName[] | undefined
  #reports: readonly Reports[] | undefined
  #quarantined: ReadonlySet<PeerName> | undefined
  #leftOut: ReadonlyMap<PeerName, readonly PeerName[]> | undefined
  #leftOutBy: ReadonlySet<PeerName> | undefined
  #brokenPairs: readonly BrokenPair[] | undefined
  #brokenKeys: ReadonlySet<string> | undefined

  /** @param since - only peers that are in this round or a later one still leave out whom they report as silent */
  constructor(
    knowledge: Knowledge,
    own: OwnReports,
    contacts: Iterable<PeerName>,
    isHeard: (peer: PeerName) => boolean,
    since = 0
  ) {
    this.#knowledge = knowledge
    this.#since = since
    this.#own = own
    this.electorate = knowledge.electorate
    this.members = knowledge.members
    this.dead = knowledge.deadMembers
    this.unheard = new Set([...contacts].filter((peer) => this.#mayBePresent(peer) && !isHeard(peer)))
    const isOwnDead = this.dead.has(own.self)
    this.presentCount = this.members.length - this.dead.size + (isOwnDead ? 1 : 0) - this.unheard.size
    this.isMain = isMajority(this.presentCount, this.electorate)
  }

  /** Whether a peer is this one, or a member that is not dead and, if it is a contact, was heard recently. */
  isPresent(peer: PeerName): boolean {
    if (peer === this.#own.self) return this.#knowledge.isMember(peer)
    return this.#mayBePresent(peer) && !this.unheard.has(peer)
  }

  /** In the order of their names. */
  get present(): readonly PeerName[] {
    return (this.#present ??= this.members.filter((peer) => this.isPresent(peer)))
  }

  /** The other members that are not present. */
  get absent(): readonly PeerName[] {
    return [...this.dead, ...this.unheard].filter((peer) => peer !== this.#own.self)
  }

  /** Peers that so many present members report as silent that at least one of them is honest. */
  get quarantined(): ReadonlySet<PeerName> {
    const needed = votesNeeded(this.members.length, this.#knowledge.liars)
    return (this.#quarantined ??= quarantinedBy(this.#reportsNow, needed))
  }

  /**
   * The living members that present peers leave out of their rows although they are there, as far as this peer knows;
   * by which peers.
   */
  get leftOut(): ReadonlyMap<PeerName, readonly PeerName[]> {
    return (this.#leftOut ??= this.#leftOutNow())
  }

  /** Whether a peer keeps this one out of its rows as late. */
  isLeftOutBy(peer: PeerName): boolean {
    const { self } = this.#own
    const naming = () => this.#reportsNow.filter(({ silent }) => silent.includes(self)).map((reports) => reports.self)
    this.#leftOutBy ??= new Set(this.quarantined.has(self) ? this.members : naming())
    return this.#leftOutBy.has(peer)
  }

  /** The pairs of living members that either end reports. */
  get brokenPairs(): readonly BrokenPair[] {
    this.#brokenPairs ??= this.#reportsNow.flatMap(({ self, broken }) =>
      broken.filter((peer) => !this.dead.has(peer)).map((peer): BrokenPair => [self, peer])
    )
    return this.#brokenPairs
  }

  get brokenKeys(): ReadonlySet<string> {
    return (this.#brokenKeys ??= new Set(this.brokenPairs.map(([a, b]) => pairKey(a, b))))
  }

  /** What the present peers report, in the order of their names. */
  get #reportsNow(): readonly Reports[] {
    this.#reports ??= [...this.#knowledge.reporting, this.#own.self]
      .filter((peer, index, all) => this.isPresent(peer) && all.lastIndexOf(peer) === index)
      .sort(compareTexts)
      .map((peer) => (peer === this.#own.self ? this.#own : { self: peer, ...this.#namesOf(peer) }))
    return this.#reports
  }

  #namesOf(peer: PeerName) {
    const { broken = [], silent = [] } = this.#knowledge.record(peer) ?? {}
    const isFresh = this.#since === 0 || (this.#knowledge.latest(peer)?.round ?? 0) >= this.#since
    return { broken, silent: isFresh ? silent : [] }
  }

  #leftOutNow(): ReadonlyMap<PeerName, readonly PeerName[]> {
    const { self, out } = this.#own
    const leftOut = new Map<PeerName, readonly PeerName[]>()
    const add = (peer: PeerName, by: PeerName) => leftOut.set(peer, [...(leftOut.get(peer) ?? []), by])
    for (const reports of this.#reportsNow)
      for (const peer of reports.self === self ? out : reports.silent) add(peer, reports.self)
    // All others leave it out.
    if (out.includes(self))
      leftOut.set(
        self,
        this.present.filter((other) => other !== self)
      )
    return new Map([...leftOut].filter(([peer, by]) => by.length > 0 && this.isPresent(peer)))
  }

  #mayBePresent(peer: PeerName): boolean {
    return peer !== this.#own.self && this.#knowledge.isMember(peer) && !this.dead.has(peer)
  }
}

function quarantinedBy(reports: readonly Reports[], needed: number): Set<PeerName> {
  const accusers = new Map<PeerName, number>()
  for (const { self, silent } of reports) {
    for (const peer of new Set(silent)) if (peer !== self) accusers.set(peer, (accusers.get(peer) ?? 0) + 1)
  }
  return new Set([...accusers.keys()].filter((peer) => (accusers.get(peer) ?? 0) >= needed).sort(compareTexts))
}
