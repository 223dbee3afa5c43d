import type { PeerName } from '@murmuration/core'
import { type BrokenPair, pairKey } from './graph.js'
import { type Knowledge, votesNeeded } from './knowledge.js'
import { compareTexts } from './records.js'
import { isMajority } from './states.js'

/** What follows from knowledge at one moment. */
export interface View {
  /** In the order of their names. */
  readonly members: readonly PeerName[]
  readonly dead: ReadonlySet<PeerName>
  /** The members that are not dead and, where they are contacts, were heard of lately; in the order of their names. */
  readonly present: readonly PeerName[]
  readonly isMain: boolean
  /** Named as silent by so many present members that one of them at least is honest. */
  readonly quarantined: ReadonlySet<PeerName>
  /** The pairs of living members that either end reports. */
  readonly brokenPairs: readonly BrokenPair[]
  readonly brokenKeys: ReadonlySet<string>
}

/** What a peer names itself, as it is now; its record may be older. */
export interface OwnReports {
  readonly self: PeerName
  readonly broken: readonly PeerName[]
  readonly silent: readonly PeerName[]
}

export function viewOf(knowledge: Knowledge, own: OwnReports, isPresent: (peer: PeerName) => boolean): View {
  const { members } = knowledge
  const dead = new Set(members.filter((peer) => knowledge.isDead(peer)))
  const present = members.filter((peer) => peer === own.self || (!dead.has(peer) && isPresent(peer)))
  const reports = present.map((peer) => (peer === own.self ? own : { self: peer, ...namesOf(knowledge, peer) }))
  const brokenPairs = reports.flatMap(({ self, broken }) =>
    broken.filter((peer) => !dead.has(peer)).map((peer): BrokenPair => [self, peer])
  )
  return {
    members,
    dead,
    present,
    isMain: isMajority(present, members),
    quarantined: quarantinedBy(reports, votesNeeded(members.length, knowledge.liars)),
    brokenPairs,
    brokenKeys: new Set(brokenPairs.map(([a, b]) => pairKey(a, b)))
  }
}

function namesOf(knowledge: Knowledge, peer: PeerName) {
  const { broken = [], silent = [] } = knowledge.record(peer) ?? {}
  return { broken, silent }
}

function quarantinedBy(reports: readonly OwnReports[], needed: number): Set<PeerName> {
  const accusers = new Map<PeerName, number>()
  for (const { self, silent } of reports) {
    for (const peer of new Set(silent)) if (peer !== self) accusers.set(peer, (accusers.get(peer) ?? 0) + 1)
  }
  return new Set([...accusers.keys()].filter((peer) => (accusers.get(peer) ?? 0) >= needed).sort(compareTexts))
}
