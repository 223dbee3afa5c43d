/**
 * The agreement on epochs as transcripts: peers whose links take 10 ms, and which look around every 100 ms. While one
 * input acts, what is sent again is not shown.
 */
import type { Input, Protocol, TranscriptRun } from '@murmuration/contract'
import { type PeerName, peerName } from '@murmuration/core'
import {
  AgreementSwarm,
  defaultRules,
  epochOfAll,
  placeText,
  type Process,
  type Sent
} from './agreement-swarm.test.support.js'
import type { Ballot, Epoch, MemberStanding } from './epoch.js'
import type { EpochRules } from './next-epoch.js'
import { type EpochNote, noteText, readNote } from './notes.js'

const folder = new URL('../../src/epochs/transcripts/', import.meta.url)

/** The transcripts of how members agree on an epoch. */
export const protocol: Protocol = { folder, start: (put) => new Play(put) }

const namesOf = (text: string) => text.split(', ').map(peerName)
const millisecondsOf = (seconds: string) => Math.round(1000 * Number(seconds))

class Play implements TranscriptRun {
  readonly inputs: readonly Input[] = [
    [/(peers|gossip) ([\w, ]+?)(?:; servers? ([\w, ]+))?/, (kind, names, servers) => this.#set(kind, names, servers)],
    [/([\w, ]+) (?:train|trains) in round (\d+)/, (names, round) => this.#train(namesOf(names), Number(round))],
    [/(\w) asks to join/, (name) => this.#join(peerName(name), 1)],
    [/(\w) is killed/, (name) => this.#swarm.crash(peerName(name))],
    [/(\w) is killed and started again/, (name) => this.#join(peerName(name), 2)],
    [/([\w, ]+) (?:see|sees) that (\w) is gone/, (names, other) => this.#see(names, peerName(other), 1)],
    [/([\w, ]+) (?:see|sees) that (\w) is back/, (names, other) => this.#see(names, peerName(other), 0)],
    [/([\w, ]+) (?:see|sees) that (\w) and (\w) cannot exchange/, (names, a, b) => this.#break(names, a, b)],
    [/([\w, ]+) (?:see|sees) that all can exchange/, (names) => this.#break(names)],
    [/(\w) is silent/, (name) => void (this.#swarm.of(name).isBusy = true)],
    [/(\w) answers again/, (name) => void (this.#swarm.of(name).isBusy = false)],
    [/the round of (\w) fails/, (name) => this.#swarm.of(name).fail(this.#swarm.now)],
    [/cut ([\w, ]+) \| ([\w, ]+)/, (left, right) => this.#cut(namesOf(left), namesOf(right), true)],
    [/heal ([\w, ]+) \| ([\w, ]+)/, (left, right) => this.#cut(namesOf(left), namesOf(right), false)],
    [/cut (\w → \w)/, (link) => void this.#swarm.cut.add(link.replace(' → ', ' '))],
    [/heal (\w → \w)/, (link) => void this.#swarm.cut.delete(link.replace(' → ', ' '))],
    [/([\w, ]+) (?:have|has) finished/, (names) => this.#finish(namesOf(names))],
    [/(\w) lies to ([\w, ]+): (.+)/, (name, to, note) => this.#lie(peerName(name), namesOf(to), note)],
    [/time ([\d.]+) s/, (seconds) => this.#pass(millisecondsOf(seconds))],
    [/show/, () => this.#show()]
  ]
  readonly #put: (output: string) => void
  #swarm = new AgreementSwarm([], defaultRules)
  /** What was sent in this moment, by its text: a line names all that receive it. */
  #moment = new Map<string, { readonly from: PeerName; readonly to: PeerName[] }>()
  #momentAt = 0
  readonly #shown = new Set<string>()

  constructor(put: (output: string) => void) {
    this.#put = put
  }

  #set(kind: string, names: string, servers: string | undefined): void {
    const planned = servers === undefined ? [] : namesOf(servers)
    const all = [...namesOf(names), ...planned].sort()
    const ofGossip = { isEqual: false, needsEveryPair: false }
    const rules: EpochRules = {
      ...defaultRules,
      servers: planned,
      neededServers: planned.length,
      ...(kind === 'gossip' ? ofGossip : {})
    }
    this.#swarm = new AgreementSwarm(all, rules, {
      sent: (sent) => this.#note(sent),
      faulty: ({ from, to }, fault) => this.#line(`${to} counts a fault of ${from}: ${fault}`),
      learnt: (name, epoch) => this.#line(`${name} learns ${epochText(epoch)}`)
    })
  }

  #train(names: readonly PeerName[], round: number): void {
    const { peers, rules, processes } = this.#swarm
    const members = [...new Set([...processes.keys(), ...names])].sort()
    const isRest = members.length === peers.length || processes.size > 0
    const first = epochOfAll(isRest ? peers : names, { servers: rules.servers })
    for (const name of names) this.#swarm.start(name, 1, round, first)
  }

  #join(name: PeerName, life: number): void {
    this.#swarm.start(name, life, 0)
  }

  #see(names: string, other: PeerName, life: number): void {
    for (const name of namesOf(names)) {
      const { gone } = this.#swarm.of(name)
      if (life === 0) gone.delete(other)
      else gone.set(other, life)
    }
  }

  #break(names: string, ...pair: string[]): void {
    const [a, b] = pair.map(peerName)
    for (const name of namesOf(names)) this.#swarm.of(name).broken = pair.length === 0 ? [] : [[a, b]]
  }

  #cut(left: readonly PeerName[], right: readonly PeerName[], isCut: boolean): void {
    for (const a of left)
      for (const b of right)
        for (const link of [`${a} ${b}`, `${b} ${a}`])
          if (isCut) this.#swarm.cut.add(link)
          else this.#swarm.cut.delete(link)
  }

  #finish(names: readonly PeerName[]): void {
    for (const name of names) this.#swarm.of(name).hasFinished = true
  }

  #lie(from: PeerName, receivers: readonly PeerName[], note: string): void {
    const members = epochOfAll(this.#swarm.peers).members
    const value: Epoch = { ...epochOfAll(this.#swarm.peers), number: 1, members, givers: [from] }
    const standing: MemberStanding = { opened: 9, round: 9, hasModel: true, samples: 0 }
    const lies: Readonly<Record<string, EpochNote | string>> = {
      'a ballot of a': { kind: 'prepare', epoch: 1, ballot: [1, 'a'] },
      'a ballot far ahead': { kind: 'prepare', epoch: 1, ballot: [Number.MAX_SAFE_INTEGER, from] },
      'a prepare': { kind: 'prepare', epoch: this.#swarm.of(from).agreement.epoch.number + 1, ballot: [1, from] },
      'a decision of its own': { kind: 'decided', decisions: [{ ballot: [1, from], value, accepts: [[from, 'x']] }] },
      'a value without a quorum': {
        kind: 'accept',
        epoch: 1,
        ballot: [9, from],
        value: { ...value, members: [members[0]] }
      },
      'a wrong signature': { kind: 'accepted', epoch: 1, ballot: [1, 'a'], signature: 'x' },
      'a promise of an epoch to come': { kind: 'promise', epoch: 1, ballot: [1, 'a'], standing },
      'a torn note': 'E{"kind":"prepare"'
    }
    const lie = lies[note]
    if (lie === undefined) throw new Error(`"${note}" is none of ${Object.keys(lies).join(', ')}`)
    for (const to of receivers) this.#swarm.send({ from, to, note: typeof lie === 'string' ? lie : noteText(lie) })
  }

  #pass(time: number): void {
    this.#shown.clear()
    this.#swarm.pass(time)
    this.#flush()
  }

  #note({ from, to, note }: Sent): void {
    this.#flushBefore()
    const text = textOf(note, new Set(this.#swarm.peers))
    const isCut = this.#swarm.cut.has(`${from} ${to}`) ? '  (lost)' : ''
    const key = `${from} ${text}${isCut}`
    const entry = this.#moment.get(key)
    if (entry === undefined) this.#moment.set(key, { from, to: [to] })
    else entry.to.push(to)
  }

  #line(text: string): void {
    this.#flush()
    this.#put(`${timeText(this.#swarm.now)}  ${text}`)
  }

  #flushBefore(): void {
    if (this.#momentAt !== this.#swarm.now) this.#flush()
    this.#momentAt = this.#swarm.now
  }

  #flush(): void {
    for (const [key, { from, to }] of this.#moment) {
      const text = `${from} → ${to.sort().join(', ')}  ${key.slice(from.length + 1)}`
      if (!this.#shown.has(text)) this.#put(`${timeText(this.#momentAt)}  ${text}`)
      this.#shown.add(text)
    }
    this.#moment.clear()
  }

  #show(): void {
    for (const name of this.#swarm.peers) this.#put(`${name} ${stateText(this.#swarm.processes.get(name))}`)
  }
}

function stateText(process: Process | undefined): string {
  if (process === undefined) return 'is down'
  const { agreement, standing, isRunning, hasFinished, hasLeft } = process
  const { number } = agreement.epoch
  if (hasLeft) return 'has finished, and left'
  if (!agreement.isIn) return number < 0 ? 'is in no epoch' : `is no member of epoch ${number}`
  if (!isRunning) return `has stopped in epoch ${number}`
  return hasFinished ? `has finished in epoch ${number}` : `trains in epoch ${number} from round ${standing.round}`
}

function timeText(now: number): string {
  return (now / 1000).toFixed(2).padStart(5)
}

function textOf(note: string, peers: ReadonlySet<string>): string {
  const read = readNote(note, peers)
  if (typeof read === 'string') return 'a torn note'
  switch (read.kind) {
    case 'prepare':
    case 'accepted':
      return `${read.kind} ${read.epoch} ${ballotText(read.ballot)}`
    case 'promise': {
      const { opened, round, hasModel } = read.standing
      const accepted =
        read.accepted && `, accepted ${ballotText(read.accepted.ballot)} ${epochText(read.accepted.value)}`
      const model = hasModel ? `epoch ${opened}, round ${round}` : 'no model'
      return `promise ${read.epoch} ${ballotText(read.ballot)}: ${model}${accepted ?? ''}`
    }
    case 'accept':
      return `accept ${ballotText(read.ballot)} ${epochText(read.value)}`
    case 'decided':
      return read.decisions
        .map(({ value, accepts }) => `decided ${epochText(value)}, signed by ${accepts.map(([by]) => by).join(', ')}`)
        .join('; ')
    case 'latest':
      return `latest ${epochText(read.value)}`
    case 'join':
      return `join ${read.epoch}, life ${read.life}`
    default:
      return `${read.kind} ${read.epoch}`
  }
}

function ballotText([number, name]: Ballot): string {
  return `(${number},${name})`
}

function epochText({ number, members, servers, round, givers, broken }: Epoch): string {
  const roles = servers.length === 0 ? '' : `, servers ${servers.join(', ')}`
  const pairs = broken.length === 0 ? '' : `, without ${broken.map((pair) => pair.join('–')).join(', ')}`
  const from = givers.length === 0 ? '' : `, from ${givers.join(', ')}`
  return `epoch ${number}: ${members.map(placeText).join(', ')}${roles}${pairs}; round ${round}${from}`
}
