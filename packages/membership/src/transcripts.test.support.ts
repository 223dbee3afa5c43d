/**
 * The membership as transcripts: the members of a {@link Room}, which receive each other's notes at once. Outputs begin
 * with the time in seconds.
 */
import type { Input, Protocol, TranscriptRun } from '@murmuration/contract'
import { type PeerName, peerName } from '@murmuration/core'
import type { MemberChange } from './changes.js'
import type { Member } from './member.js'
import type { MemberOptions } from './member-options.js'
import type { GossipNote, Note } from './notes.js'
import type { PeerRecord } from './records.js'
import { Room } from './room.test.support.js'
import type { MembershipSettings } from './settings.js'

/** The transcripts of what peers tell each other about who is there, and of what they conclude. */
export const protocol: Protocol = {
  folder: new URL('../src/transcripts/', import.meta.url),
  start: (put) => new Swarm(put)
}

/** A round that no peer reaches. */
const farAhead = 1_000_000

const peersIn = (text: string) => text.split(', ').map(peerName)
const listOf = (names: readonly PeerName[]) => (names.length === 0 ? 'nobody' : names.join(', '))

class Swarm implements TranscriptRun {
  readonly inputs: readonly Input[] = [
    [/peers (.+?)(?: with (.+))?/, (names, settings) => this.#open(names, settings)],
    [/(.+) train/, (names) => this.#train(names)],
    [/(.+) starts?/, (names) => peersIn(names).forEach((name) => this.#start(name))],
    [
      /(\w) starts from a checkpoint of life (\d+), round (\d+)/,
      (name, life, round) => this.#start(peerName(name), { lifeBefore: Number(life), roundBefore: Number(round) })
    ],
    [
      /(.+) begins? (\d+)/,
      (names, round) => this.#each(names, (member) => member.begin(Number(round), this.#room.now))
    ],
    [/time ([\d.]+) s/, (seconds) => this.#run(1000 * Number(seconds))],
    [/(.+) crash(?:es)?/, (names) => peersIn(names).forEach((name) => this.#room.end(name))],
    [/(\w) freezes/, (name) => this.#freeze(peerName(name))],
    [/(\w) thaws/, (name) => this.#thaw(peerName(name))],
    [/(\w) is refused by (\w)/, (name, other) => this.#each(name, (it) => it.refused(peerName(other), this.#room.now))],
    [/cut (.+) from (.+)/, (left, right) => this.#cut(left, right, true)],
    [/join (.+) to (.+)/, (left, right) => this.#cut(left, right, false)],
    [/(.+) (?:is|are) in (\d+)/, (names, round) => this.#report(names, round)],
    [/(.+) (?:is|are) in (\d+) after (\d+) samples/, (names, round, samples) => this.#report(names, round, samples)],
    [
      /(\w) has waited ([\d.]+) s for (\w), with a timeout of ([\d.]+) s/,
      (name, time, other, timeout) => this.#lose(name, 1000 * Number(time), other, 1000 * Number(timeout))
    ],
    [/(.+) leaves? after (\d+)/, (names, round) => this.#each(names, (it) => it.leave(Number(round), this.#room.now))],
    [
      /(.+) (?:finish|finishes) in (\d+)/,
      (names, round) => this.#each(names, (it) => it.finish(Number(round), this.#room.now))
    ],
    [/(.+) ends? in (\d+)/, (names, round) => this.#each(names, (it) => it.end(Number(round), this.#room.now))],
    [/show/, () => this.#show()]
  ]
  readonly #put: (output: string) => void
  #room = new Room('')
  readonly #frozen = new Map<PeerName, Member>()
  /** What each peer's last record said, without its progress. */
  readonly #said = new Map<PeerName, string>()
  /** The votes that were told, and the probes since the last input. */
  readonly #told = new Set<string>()
  /** How many changes of each peer were shown. */
  readonly #shown = new Map<PeerName, number>()
  /** What happens at this time, and to whom. */
  readonly #now = new Map<string, PeerName[]>()

  constructor(put: (output: string) => void) {
    this.#put = put
  }

  #open(names: string, text = ''): void {
    const settings = Object.fromEntries(
      text
        .split(', ')
        .filter(Boolean)
        .map((each) => each.split(' '))
        .map(([name, value]) => [name, Number.isNaN(Number(value)) ? value : Number(value)])
    ) as Partial<MembershipSettings>
    this.#room = new Room(peersIn(names).join(''), { settings }, '')
    this.#room.onNote = (from, to, note) => this.#note(from, to, JSON.parse(note) as Note)
  }

  #start(name: PeerName, before: Partial<MemberOptions> = {}): void {
    this.#said.delete(name)
    this.#room.enter(name, before)
  }

  /** All have begun a second ago; how is shown in 01-start.txt. */
  #train(names: string): void {
    for (const name of peersIn(names)) this.#room.enter(name)
    this.#room.begin()
    for (const [name, changes] of this.#room.changes) this.#shown.set(name, changes.length)
    this.#now.clear()
  }

  #each(names: string, act: (member: Member) => void): void {
    for (const name of peersIn(names)) act(this.#room.member(name))
    this.#settle()
  }

  #run(length: number): void {
    this.#forgetProbes()
    for (const end = this.#room.now + length; this.#room.now < end;) {
      this.#room.run(250)
      this.#flush()
    }
  }

  /** Delivers what peers say at once. */
  #settle(): void {
    this.#room.deliver()
    this.#flush()
  }

  #freeze(name: PeerName): void {
    this.#frozen.set(name, this.#room.member(name))
    this.#room.end(name)
  }

  #thaw(name: PeerName): void {
    const member = this.#frozen.get(name)
    if (member !== undefined) this.#room.members.set(name, member)
  }

  #cut(left: string, right: string, isCut: boolean): void {
    for (const a of peersIn(left)) for (const b of peersIn(right)) this.#room.cut(a, b, isCut)
  }

  #report(names: string, round: string, samples = '0'): void {
    for (const name of peersIn(names)) this.#room.report(name, { round: Number(round), samples: Number(samples) })
  }

  #lose(name: string, time: number, other: string, timeout: number): void {
    this.#each(name, (member) => member.lostTime(peerName(other), time, timeout, this.#room.now))
  }

  /** What each peer thinks of the swarm. */
  #show(): void {
    for (const [name, member] of this.#room.members) this.#put(`${name} is ${this.#factsOf(name, member).join('; ')}`)
  }

  #factsOf(name: PeerName, member: Member): readonly string[] {
    const others = this.#room.names.filter((peer) => peer !== name)
    const dead = others.filter((peer) => member.isDead(peer))
    const isIn = (peer: PeerName) => member.isUsable(peer, farAhead) && !member.isGone(peer) && !member.isLate(peer)
    const facts = [`${member.state}${member.isPaused ? ' and paused' : ''}`, `members ${listOf(member.members)}`]
    if (dead.length > 0) facts.push(`dead ${listOf(dead)}`)
    if (member.state === 'starting') {
      if (member.missing.length > 0) facts.push(`missing ${listOf(member.missing)}`)
      if (member.mayBegin) facts.push('may begin')
    } else if (!member.isPaused) facts.push(`exchanges with ${listOf(others.filter(isIn))}`)
    if (member.donor(this.#room.now) !== undefined) facts.push('needs a state')
    if (member.hasResult) facts.push('the run has a result')
    return facts
  }

  #note(from: PeerName, to: PeerName, note: Note): void {
    if (note.kind === 'gossip') return this.#gossip(from, note)
    const about = note.kind === 'probe' || note.kind === 'vouch' ? note.target : `for ${note.asker}`
    // Asked again with each beat.
    if (!this.#isNew(`${from} → ${to}  ${note.kind} ${about}`)) return
    const key = `${from} → *  ${note.kind} ${about}`
    this.#now.set(key, [...(this.#now.get(key) ?? []), to])
  }

  /** Whatever peers pass on has been told before by whoever has signed it. */
  #gossip(from: PeerName, { records, votes }: GossipNote): void {
    const own = records.find(({ name }) => name === from)
    const text = own && textOf(own)
    if (text !== undefined && this.#said.get(from) !== text) {
      this.#said.set(from, text)
      this.#happens(from, `*  record: ${text}`)
    }
    for (const { voter, target, life, refutation } of votes) {
      const vote = `vote against ${target} in life ${life}${refutation === 0 ? '' : `, refutation ${refutation}`}`
      if (voter === from && this.#isNew(`${voter} ${vote}`)) this.#happens(from, `*  ${vote}`)
    }
  }

  #isNew(text: string): boolean {
    const isNew = !this.#told.has(text)
    this.#told.add(text)
    return isNew
  }

  #forgetProbes(): void {
    for (const text of this.#told) if (text.includes('→')) this.#told.delete(text)
  }

  /** @param what - with `*` for the names of those to which it happens at this time */
  #happens(name: PeerName, what: string): void {
    this.#now.set(what, [...(this.#now.get(what) ?? []), name])
  }

  #flush(): void {
    for (const [name, changes] of this.#room.changes) {
      for (const change of changes.slice(this.#shown.get(name) ?? 0)) this.#happens(name, `*: ${changeText(change)}`)
      this.#shown.set(name, changes.length)
    }
    const time = (this.#room.now / 1000).toFixed(2).padStart(6)
    for (const [what, names] of this.#now) this.#put(`${time}  ${what.replace('*', names.join(', '))}`)
    this.#now.clear()
  }
}

/** A record without its progress, which changes with each beat. */
function textOf({ life, refutation, status, from, broken, silent, waitsFor }: PeerRecord): string {
  return [
    status === 'here' ? `here from ${from}` : status,
    ...(life === 0 ? [] : [`life ${life}`]),
    ...(refutation === 0 ? [] : [`refutation ${refutation}`]),
    ...(broken.length === 0 ? [] : [`broken ${listOf(broken)}`]),
    ...(silent.length === 0 ? [] : [`silent ${listOf(silent)}`]),
    ...(waitsFor.length === 0 ? [] : [`waits for ${listOf(waitsFor)}`])
  ].join(', ')
}

function changeText(change: MemberChange): string {
  switch (change.kind) {
    case 'state':
      return `${change.state}${change.policy === 'continue' ? '' : ` (${change.policy})`}`
    case 'joined':
    case 'returned':
      return `${change.peer} has ${change.kind}, life ${change.life}`
    case 'died':
      return `${change.peer} has died, by the votes of ${listOf(change.voters)}`
    case 'left-out':
      return `${change.peer} is left out, by ${listOf(change.by)}`
    case 'reunited':
      return `reunited with ${listOf(change.peers)}, mass ${change.mass}, round ${change.round}`
    case 'left':
      return `${change.peer} has left`
    case 'taken-in':
      return `${change.peer} is taken in again`
    case 'done':
    case 'forgotten':
    case 'unreachable':
    case 'reachable':
      return `${change.peer} is ${change.kind}`
  }
}
