/**
 * What peers know of each other: no peer signs in another's name, all reach the same knowledge, at most one group is
 * the main one.
 */
import type { Members } from '@murmuration/algorithms'
import type { Milliseconds, PeerName } from '@murmuration/core'
import { type MemberChange, type Signer, trustingSigner } from '@murmuration/membership'
import type { FaultEvent } from '@murmuration/simulator'

/** The interval of checks. */
const every: Milliseconds = 250
/** How long after the last fault peers may still react to it, and how long news may take to reach all. */
const settling: Milliseconds = 15_000
const spreading: Milliseconds = 2000
/** How long after a fault of a peer others may consider it dead. */
const justifiedFor: Milliseconds = 15_000

export class KnowledgeWatch {
  readonly #peers: readonly PeerName[]
  readonly #healedAt: Milliseconds
  readonly #find: (what: string) => void
  readonly #members = new Map<PeerName, Members>()
  /** The text of each vote that its voter has signed. */
  readonly #votes = new Set<string>()
  readonly #frozen = new Set<PeerName>()
  /** Peers that have crashed or left, and not come back. */
  readonly #gone = new Set<PeerName>()
  readonly #troubled = new Map<PeerName, Milliseconds>()
  #isDivided = false
  /**
   * Whether some peers may count a member that others do not: one that was forgotten, or that has come to one side of a
   * division.
   */
  #mayCountOtherwise = false
  #hasEnded = false
  #checkedAt: Milliseconds = 0
  #differsSince: Milliseconds | undefined

  constructor(peers: readonly PeerName[], healedAt: Milliseconds, find: (what: string) => void) {
    this.#peers = peers
    this.#healedAt = healedAt
    this.#find = find
  }

  /** A signer that records the votes of a peer. */
  signerOf(peer: PeerName): Signer {
    return {
      ...trustingSigner,
      sign: (text) => {
        const [kind, voter] = JSON.parse(text) as readonly unknown[]
        if (kind === 'vote' && voter === peer) this.#votes.add(text)
        return trustingSigner.sign(text)
      }
    }
  }

  begins(peer: PeerName, members: Members): void {
    this.#members.set(peer, members)
  }

  ended(peer: PeerName, hasFinished: boolean): void {
    this.#members.delete(peer)
    if (hasFinished) this.#hasEnded = true
  }

  fault(event: FaultEvent): void {
    if (event.kind === 'partition' || event.kind === 'heal') this.#isDivided = event.kind === 'partition'
    if (event.kind === 'join' && this.#isDivided) this.#mayCountOtherwise = true
    if (event.kind === 'freeze') this.#frozen.add(event.peer)
    if (event.kind === 'thaw') this.#frozen.delete(event.peer)
    if (event.kind === 'crash' || event.kind === 'leave') this.#gone.add(event.peer)
    if (event.kind === 'restart') this.#gone.delete(event.peer)
    const touched =
      'peer' in event
        ? [event.peer]
        : event.kind === 'clog' || event.kind === 'unclog'
          ? [event.from, event.to]
          : this.#peers
    for (const peer of touched) this.#troubled.set(peer, event.at)
    this.#differsSince = undefined
  }

  changed(by: PeerName, change: MemberChange, now: Milliseconds): void {
    if (change.kind === 'forgotten') this.#mayCountOtherwise = true
    if (change.kind !== 'died') return
    const { peer } = change
    const troubled = this.#troubled.get(peer) ?? Number.NEGATIVE_INFINITY
    if (!this.#frozen.has(peer) && !this.#gone.has(peer) && now - troubled > justifiedFor)
      this.#find(`${by} takes ${peer} for dead at ${now.toFixed(0)} ms, although no fault had affected it`)
  }

  check(now: Milliseconds): void {
    if (now < this.#checkedAt + every) return
    this.#checkedAt = now
    for (const [peer, members] of this.#members) this.#checkDeaths(peer, members)
    if (!this.#mayCountOtherwise) this.#checkMains()
    if (now > this.#healedAt + settling && !this.#hasEnded) this.#checkEqual(now)
  }

  /** A peer is dead for another only if enough others have signed that. */
  #checkDeaths(peer: PeerName, { knowledge }: Members): void {
    for (const { voter, target, life, refutation } of knowledge.votes) {
      if (!this.#votes.has(JSON.stringify(['vote', voter, target, life, refutation])))
        this.#find(`${peer} knows of a vote of ${voter} against ${target} that it has not given`)
    }
    for (const name of this.#peers) {
      if (knowledge.isDead(name) && !knowledge.votes.some(({ target }) => target === name))
        this.#find(`${name} is dead for ${peer} without a vote`)
    }
  }

  /** Two peers that are both in a majority must both see some common peer. */
  #checkMains(): void {
    const mains = [...this.#members].filter(
      ([peer, { standing, knowledge }]) => standing.state !== 'starting' && knowledge.isMain && !this.#frozen.has(peer)
    )
    for (const [a, left] of mains) {
      for (const [b, right] of mains) {
        if (a >= b || left.standing.present.some((peer) => right.standing.present.includes(peer))) continue
        this.#find(
          `two groups are main: ${left.standing.present.join()} and ${right.standing.present.join()} at ${this.#checkedAt}`
        )
      }
    }
  }

  /** All present peers know the same, except for news in flight. */
  #checkEqual(now: Milliseconds): void {
    const known = new Set([...this.#members.values()].map((members) => this.#textOf(members)))
    this.#differsSince = known.size < 2 ? undefined : (this.#differsSince ?? now)
    if (this.#differsSince !== undefined && now - this.#differsSince > spreading)
      this.#find(`peers know different things since ${this.#differsSince.toFixed(0)} ms: ${[...known].join(' | ')}`)
  }

  #textOf({ knowledge }: Members): string {
    const records = this.#peers.map((peer) => {
      const { life, refutation, status, from, isIn } = knowledge.recordOf(peer) ?? {}
      return [peer, life, refutation, status, from, isIn].join()
    })
    const votes = knowledge.votes.map(({ voter, target, life, refutation }) => [voter, target, life, refutation].join())
    return [...records, ...votes.sort()].join(' ')
  }
}
