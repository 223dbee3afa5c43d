/**
 * Edges as transcripts: peers of {@link ModelPeer} with the rules of {@link Edges}. A message arrives at once unless
 * its link holds or loses it.
 */
import type { Input, Protocol, TranscriptRun } from '@murmuration/contract'
import { type PeerName, peerName } from '@murmuration/core'
import { Edges, type Verdict } from './edge.js'
import { edgeOfLife, freshPeer, type Letter, ModelPeer, type Plain } from './edge-peer.test.support.js'

const folder = new URL('../../src/edges/transcripts/', import.meta.url)

/** The transcripts of what the two ends of an edge tell each other. */
export const protocol: Protocol = { folder, start: (put) => new Swarm(put) }

interface Sent {
  readonly from: PeerName
  readonly to: PeerName
  readonly letter: Letter
}

const verdicts: Readonly<Record<Verdict, string>> = {
  keep: 'kept for its round',
  mix: 'in time',
  late: 'late',
  skip: 'of no use',
  drop: 'dropped'
}

/** Notes what the rules decide. */
class Observed extends Edges<number> {
  remark: string | undefined

  constructor(name: PeerName, put: (output: string) => void) {
    super({
      cancelled: ({ tag }) => put(`${name} gives up what it is owed of ${tag}`),
      renewed: (peer) => put(`${name} begins its edge to ${peer} anew`)
    })
  }

  override isOfLives(from: PeerName, life: number, toLife: number): boolean {
    const isOfLives = super.isOfLives(from, life, toLife)
    if (!isOfLives) this.remark = 'of an earlier life'
    return isOfLives
  }

  override receive(from: PeerName, tag: number): Verdict {
    const verdict = super.receive(from, tag)
    this.remark = verdicts[verdict]
    return verdict
  }
}

class Swarm implements TranscriptRun {
  readonly inputs: readonly Input[] = [
    [/(\w) begins (\d+) with (.+)/, (name, round, others) => this.#begin(peerName(name), Number(round), others)],
    [/(\w) ends (\d+)/, (name, round) => this.#end(peerName(name), Number(round), true)],
    [/(\w) ends (\d+) and asks nobody/, (name, round) => this.#end(peerName(name), Number(round), false)],
    [/(\w) (pauses|resumes)/, (name, what) => this.#does(peerName(name), (me) => me.pause(what === 'pauses'))],
    [/hold (\w → \w)/, (link) => void this.#held.add(link)],
    [/deliver (\w → \w)/, (link) => this.#release(link)],
    [/lose (\w → \w  (?:X|SKIP|WITHDRAW) \d+)/, (message) => void this.#losses.add(message)],
    [/(\w) crashes/, (name) => this.#crash(peerName(name))],
    [/(\w) returns in (\d+)/, (name, round) => this.#return(peerName(name), Number(round))],
    [/(\w) learns that (\w) has returned/, (name, other) => this.#meet(peerName(name), peerName(other))]
  ]
  readonly #put: (output: string) => void
  readonly #peers = new Map<PeerName, Plain>()
  /** The last lives of crashed peers. */
  readonly #lives = new Map<PeerName, number>()
  readonly #held = new Set<string>()
  readonly #losses = new Set<string>()
  #flying: readonly Sent[] = []

  constructor(put: (output: string) => void) {
    this.#put = put
  }

  #begin(name: PeerName, round: number, others: string): void {
    this.#peers.set(name, { ...this.#peer(name), round })
    this.#does(name, (me) => me.begin(others === 'nobody' ? [] : others.split(', ').map(peerName)))
  }

  #end(name: PeerName, round: number, asks: boolean): void {
    const { round: current, isWaiting } = this.#peer(name)
    if (current !== round || !isWaiting) throw new Error(`${name} is not in round ${round}`)
    this.#does(name, (me) => {
      for (const other of me.lacking()) this.#put(`${name} goes on without ${other}, and is owed ${round}`)
      me.end(asks)
    })
  }

  #release(link: string): void {
    this.#held.delete(link)
    this.#deliver()
  }

  #crash(name: PeerName): void {
    this.#lives.set(name, this.#peer(name).life)
    this.#peers.delete(name)
  }

  /** A new process of a crashed peer, which learns the lives of the others. */
  #return(name: PeerName, round: number): void {
    const life = (this.#lives.get(name) ?? 0) + 1
    const edges = Object.fromEntries([...this.#peers].map(([other, peer]) => [other, edgeOfLife(peer.life)]))
    this.#lives.delete(name)
    this.#peers.set(name, { ...freshPeer(life, round), edges })
    this.#put(`${name} is in life ${life}`)
  }

  #meet(name: PeerName, other: PeerName): void {
    this.#does(name, (me) => me.newLife(other, this.#peer(other).life))
  }

  #peer(name: PeerName): Plain {
    return this.#peers.get(name) ?? freshPeer(1, 0)
  }

  /** A peer acts of itself. */
  #does(name: PeerName, act: (me: ModelPeer) => void): void {
    this.#act(name, act).effects.forEach(this.#put)
    this.#deliver()
  }

  #act(name: PeerName, act: (me: ModelPeer) => void): { remark: string | undefined; effects: readonly string[] } {
    const effects: string[] = []
    const before = this.#peer(name)
    const edges = new Observed(name, (effect) => effects.push(effect))
    const me = new ModelPeer(before, edges, Math.min)
    act(me)
    const after = me.plain()
    this.#peers.set(name, after)
    this.#flying = [...this.#flying, ...me.sent.map((sent) => ({ from: name, ...sent }))]
    for (const [other, weights] of Object.entries(after.used))
      for (const [round, weight] of Object.entries(weights))
        if (before.used[other]?.[Number(round)] === undefined)
          effects.push(`${name} mixes with ${other} in ${round}, weight 1/${1 / weight}`)
    return { remark: edges.remark, effects }
  }

  /** Links deliver in order. */
  #deliver(): void {
    for (;;) {
      const next = this.#flying.find(({ from, to }) => !this.#held.has(`${from} → ${to}`))
      if (next === undefined) return
      this.#flying = this.#flying.filter((sent) => sent !== next)
      this.#arrive(next)
    }
  }

  #arrive({ from, to, letter }: Sent): void {
    const message = `${from} → ${to}  ${letter.kind} ${letter.round}`
    if (this.#losses.delete(message)) return this.#put(`${message}  (lost)`)
    if (this.#lives.has(to)) return this.#put(`${message}  (${to} is down)`)
    const { remark, effects } = this.#act(to, (me) => me.receive(from, letter))
    this.#put(remark === undefined ? message : `${message}  (${remark})`)
    effects.forEach(this.#put)
  }
}
