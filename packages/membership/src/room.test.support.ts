/** Members that receive each other's notes at once, for tests of single rules. */
import { type Milliseconds, type PeerName, peerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { Member } from './member.js'
import type { MemberOptions } from './member-options.js'
import { testSigner } from './network.test.support.js'
import type { MemberChange } from './changes.js'

export class Room {
  now: Milliseconds = 0
  readonly names: readonly PeerName[]
  readonly members = new Map<PeerName, Member>()
  readonly faults: string[] = []
  readonly changes = new Map<PeerName, MemberChange[]>()
  /** Called for each note that arrives. */
  onNote: (from: PeerName, to: PeerName, note: string) => void = () => {}
  readonly #cut = new Set<string>()

  /** @param present the peers that run; the others of `names` are missing */
  constructor(
    names: string,
    readonly options: Partial<MemberOptions> = {},
    present = names
  ) {
    this.names = [...names].map(peerName)
    for (const name of present) this.enter(name)
  }

  /** A process of a peer starts. */
  enter(text: string, options: Partial<MemberOptions> = {}): Member {
    const self = peerName(text)
    const random = createRandom(1, self)
    const shared = { self, peers: this.names, signer: testSigner(self), random, ...this.options, ...options }
    const member = new Member(shared, this.now)
    this.members.set(self, member)
    return member
  }

  /** A process ends. */
  end(text: string): void {
    this.members.delete(peerName(text))
  }

  member(text: string): Member {
    const member = this.members.get(peerName(text))
    if (member === undefined) throw new Error(`${text} is not there`)
    return member
  }

  /** Cuts all traffic between two peers; or restores it. */
  cut(a: string, b: string, isCut = true): void {
    for (const link of [`${a} ${b}`, `${b} ${a}`]) {
      if (isCut) this.#cut.add(link)
      else this.#cut.delete(link)
    }
  }

  /** All tick for this long, and receive each other's notes. */
  run(length: Milliseconds): this {
    for (const end = this.now + length; this.now < end;) {
      this.now += 250
      for (const member of this.members.values()) member.tick(this.now)
      this.deliver()
    }
    return this
  }

  /** Delivers what is to be sent, and the answers. */
  deliver(): void {
    for (let hop = 0; hop < 4; hop++) for (const [from, member] of this.members) this.#deliver(from, member)
    for (const [name, member] of this.members) {
      this.changes.set(name, [...(this.changes.get(name) ?? []), ...member.takeChanges()])
    }
  }

  /** All begin round 0. */
  begin(): this {
    this.run(1000)
    for (const member of this.members.values()) member.begin(0, this.now)
    return this.run(1000)
  }

  report(
    text: string,
    progress: { readonly round: number; readonly samples?: number; readonly waitsFor?: string; readonly owes?: string }
  ): void {
    const { round, samples = 0, waitsFor = '', owes = '' } = progress
    const names = { waitsFor: [...waitsFor].map(peerName), owes: [...owes].map(peerName) }
    this.member(text).report({ round, samples, ...names }, this.now)
  }

  kinds(text: string): string[] {
    return (this.changes.get(peerName(text)) ?? []).map((change) =>
      change.kind === 'state'
        ? change.state
        : `${change.kind} ${'peer' in change ? change.peer : change.peers.join('')}`
    )
  }

  #deliver(from: PeerName, member: Member) {
    for (const { to, note } of member.take()) {
      if (this.#cut.has(`${from} ${to}`)) continue
      if (this.members.has(to)) this.onNote(from, to, note)
      const fault = this.members.get(to)?.receive(from, note, this.now)
      if (fault !== undefined) this.faults.push(`${from}: ${fault}`)
    }
  }
}
