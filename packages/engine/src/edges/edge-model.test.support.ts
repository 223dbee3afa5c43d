/**
 * Peers with {@link Edges} between them, arbitrary views of the graph in each round, and links that delay, are cut and
 * are restored.
 */
import { type PeerName, peerName } from '@murmuration/core'
import { Edges } from './edge.js'
import { type ByName, edgeOfLife, freshPeer, type Letter, ModelPeer, type Plain } from './edge-peer.test.support.js'
import type { Model, Move } from './explore.test.support.js'

/** How often each fault may happen, and the size of the model. */
export interface EdgeModelOptions {
  readonly peers: number
  readonly rounds: number
  readonly cuts?: number
  readonly crashes?: number
  readonly restarts?: number
  /** How often a peer continues without one that is present. */
  readonly verdicts?: number
  readonly pauses?: number
  /** The rules, or a mutant of them. */
  readonly edges?: new () => Edges<number>
  /** The weight of an exchange, from both offers. */
  readonly weightOf?: (mine: number, theirs: number) => number
}

export interface Swarm {
  readonly peers: ByName<Plain>
  /** Messages in flight, in order, by 'from to'. */
  readonly links: ByName<readonly Letter[]>
  /** Whether a link is cut; false if it was. */
  readonly cut: ByName<boolean>
  readonly down: readonly string[]
  readonly left: ByName<number>
}

const faults = ['cuts', 'crashes', 'restarts', 'verdicts', 'pauses'] as const
type Fault = (typeof faults)[number]

export function edgeModel(options: EdgeModelOptions): Model<Swarm> {
  const model = new EdgeModel(options)
  return {
    start: model.start(),
    moves: (swarm) => [...model.moves(swarm)],
    keyOf: ({ peers, ...others }) => Object.values(peers).map(textOf).join() + JSON.stringify(others),
    problemOf: (swarm, isEnd) => model.problemOf(swarm, isEnd)
  }
}

const texts = new WeakMap<object, string>()

/** As JSON. A peer is plain data that never changes, and part of many states. */
function textOf(peer: Plain): string {
  const known = texts.get(peer)
  if (known !== undefined) return known
  const text = JSON.stringify(peer)
  texts.set(peer, text)
  return text
}

class EdgeModel {
  readonly #names: readonly PeerName[]
  readonly #rounds: number
  readonly #weightOf: (mine: number, theirs: number) => number
  readonly #edges: new () => Edges<number>
  readonly #left: Record<Fault, number>

  constructor({ peers, rounds, edges = Edges, weightOf = Math.min, ...counts }: EdgeModelOptions) {
    this.#names = [...'abcd'].slice(0, peers).map(peerName)
    this.#rounds = rounds
    this.#edges = edges
    this.#weightOf = weightOf
    this.#left = Object.fromEntries(faults.map((fault) => [fault, counts[fault] ?? 0])) as Record<Fault, number>
  }

  start(): Swarm {
    const peers = Object.fromEntries(this.#names.map((name) => [name, freshPeer(1, 0)]))
    return { peers, links: {}, cut: {}, down: [], left: this.#left }
  }

  *moves(swarm: Swarm): Iterable<Move<Swarm>> {
    for (const name of this.#names) {
      if (swarm.down.includes(name)) {
        yield* this.#restarts(swarm, name)
        continue
      }
      const { isWaiting, isPaused, round } = swarm.peers[name]
      if (isPaused)
        yield move(
          `${name} resumes`,
          this.#act(swarm, name, (me) => me.pause(false))
        )
      else if (isWaiting) yield* this.#ends(swarm, name)
      else if (round < this.#rounds) yield* this.#begins(swarm, name)
      if (!isPaused && !isWaiting)
        yield* this.#fault(swarm, 'pauses', `${name} pauses`, (after) => this.#act(after, name, (me) => me.pause(true)))
      yield* this.#fault(swarm, 'crashes', `${name} crashes`, (after) => ({ ...after, down: [...after.down, name] }))
      yield* this.#meetings(swarm, name)
    }
    yield* this.#arrivals(swarm)
    yield* this.#linkFaults(swarm)
  }

  *#begins(swarm: Swarm, name: PeerName): Iterable<Move<Swarm>> {
    for (const chosen of subsetsOf(this.#othersOf(name)))
      yield move(
        `${name} begins with [${chosen}]`,
        this.#act(swarm, name, (me) => me.begin(chosen))
      )
  }

  /** A round ends when no X is lacking, or without those that are. */
  *#ends(swarm: Swarm, name: PeerName): Iterable<Move<Swarm>> {
    const lacking = this.#open(swarm, name).lacking()
    if (lacking.length === 0)
      yield move(
        `${name} ends its round`,
        this.#act(swarm, name, (me) => me.end(false))
      )
    else {
      const wrong = lacking.filter((other) => !this.#isCutOff(swarm, name, other)).length
      if (wrong > swarm.left.verdicts) return
      const left = { ...swarm.left, verdicts: swarm.left.verdicts - wrong }
      for (const asks of [true, false]) {
        const label = `${name} goes on without ${lacking.join()}${asks ? ', and says so' : ''}`
        const next = this.#act({ ...swarm, left }, name, (me) => me.end(asks))
        yield { label, isFault: wrong > 0, next }
      }
    }
  }

  *#restarts(swarm: Swarm, name: PeerName): Iterable<Move<Swarm>> {
    for (const donor of this.#othersOf(name)) {
      if (this.#isCutOff(swarm, name, donor)) continue
      yield* this.#fault(swarm, 'restarts', `${name} restarts from ${donor}`, (after) => {
        const fresh = freshPeer(after.peers[name].life + 1, after.peers[donor].round + 1)
        const lives = this.#othersOf(name).map((other) => [other, edgeOfLife(after.peers[other].life)])
        const peers = { ...after.peers, [name]: { ...fresh, edges: Object.fromEntries(lives) } }
        return { ...after, peers, down: after.down.filter((other) => other !== name) }
      })
    }
  }

  *#meetings(swarm: Swarm, name: PeerName): Iterable<Move<Swarm>> {
    for (const other of this.#othersOf(name)) {
      const { life } = swarm.peers[other]
      if (swarm.down.includes(other) || this.#isCutOff(swarm, name, other)) continue
      if ((swarm.peers[name].edges[other]?.life ?? 1) < life)
        yield move(
          `${name} meets ${other}'s life ${life}`,
          this.#act(swarm, name, (me) => me.newLife(other, life))
        )
    }
  }

  *#arrivals(swarm: Swarm): Iterable<Move<Swarm>> {
    for (const [link, [letter, ...others]] of Object.entries(swarm.links)) {
      const [from, to] = link.split(' ') as PeerName[]
      if (letter === undefined || swarm.down.includes(to) || swarm.cut[linkOf(from, to)]) continue
      const after = { ...swarm, links: { ...swarm.links, [link]: others } }
      const label = `${letter.kind} ${letter.round} of ${from} arrives at ${to}`
      yield move(
        label,
        this.#act(after, to, (me) => me.receive(from, letter))
      )
    }
  }

  *#linkFaults(swarm: Swarm): Iterable<Move<Swarm>> {
    for (const [place, a] of this.#names.entries()) {
      for (const b of this.#names.slice(place + 1)) {
        const link = linkOf(a, b)
        const becomes = (isCut: boolean) => (after: Swarm) => ({ ...after, cut: { ...after.cut, [link]: isCut } })
        if (swarm.cut[link] === undefined) yield* this.#fault(swarm, 'cuts', `${link} is cut`, becomes(true))
        if (swarm.cut[link]) yield move(`${link} is mended`, becomes(false)(swarm))
      }
    }
  }

  *#fault(swarm: Swarm, fault: Fault, label: string, act: (swarm: Swarm) => Swarm): Iterable<Move<Swarm>> {
    const left = swarm.left[fault]
    if (left === 0) return
    yield { label, isFault: true, next: act({ ...swarm, left: { ...swarm.left, [fault]: left - 1 } }) }
  }

  #act(swarm: Swarm, name: PeerName, act: (me: ModelPeer) => void): Swarm {
    const me = this.#open(swarm, name)
    act(me)
    const links: Record<string, readonly Letter[]> = { ...swarm.links }
    for (const { to, letter } of me.sent) links[`${name} ${to}`] = [...(links[`${name} ${to}`] ?? []), letter]
    return { ...swarm, peers: { ...swarm.peers, [name]: me.plain() }, links }
  }

  #open(swarm: Swarm, name: PeerName): ModelPeer {
    return new ModelPeer(swarm.peers[name], new this.#edges(), this.#weightOf)
  }

  #othersOf(name: PeerName): readonly PeerName[] {
    return this.#names.filter((other) => other !== name)
  }

  #isCutOff(swarm: Swarm, a: PeerName, b: PeerName): boolean {
    return swarm.down.includes(b) || swarm.cut[linkOf(a, b)]
  }

  problemOf(swarm: Swarm, isEnd: boolean): string | undefined {
    for (const name of this.#names) {
      if (swarm.down.includes(name)) continue
      const { round, used } = swarm.peers[name]
      if (isEnd && round < this.#rounds) return `a peer is stuck: ${name} in round ${round}`
      const sums: Record<string, number> = {}
      for (const [other, weights] of Object.entries(used)) {
        for (const [at, weight] of Object.entries(weights)) {
          sums[at] = (sums[at] ?? 0) + weight
          if (sums[at] > 1 - 1e-9) return 'the weights of a row sum to 1 or more'
          const problem = this.#edgeProblem(swarm, name, other as PeerName, Number(at))
          if (problem !== undefined) return problem
        }
      }
      const debt = this.#othersOf(name).find((other) => swarm.peers[name].edges[other]?.debt !== undefined)
      if (isEnd && debt !== undefined && !this.#isCutOff(swarm, name, debt)) return 'a debt is never settled'
    }
    return undefined
  }

  /**
   * If one end has used an edge, the other uses it with the same weight, waits for it, or owes it; unless a life has
   * ended.
   */
  #edgeProblem(swarm: Swarm, name: PeerName, other: PeerName, round: number): string | undefined {
    const me = swarm.peers[name]
    const they = swarm.peers[other]
    const back = they.edges[name]
    if (swarm.down.includes(other) || me.edges[other].life !== they.life || back?.life !== me.life) return undefined
    if (they.said[name]?.includes(round) !== true) return 'an edge is used, and the other end has not said X'
    const weight = me.used[other][round]
    const theirs = they.used[name]?.[round]
    if (theirs !== undefined) return theirs === weight ? undefined : 'an edge is used with two weights'
    const isAwaited = they.isWaiting && they.round === round && back.skippedTag !== round
    return isAwaited || back.debt?.tag === round ? undefined : 'an edge is used by one end alone'
  }
}

function move(label: string, next: Swarm): Move<Swarm> {
  return { label, isFault: false, next }
}

function linkOf(a: PeerName, b: PeerName): string {
  return a < b ? `${a}-${b}` : `${b}-${a}`
}

function subsetsOf(names: readonly PeerName[]): PeerName[][] {
  return names.reduce<PeerName[][]>((sets, name) => [...sets, ...sets.map((set) => [...set, name])], [[]])
}
