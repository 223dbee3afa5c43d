/**
 * Explores every schedule of what peers tell each other: false votes, crashes, gossip in any order, and one liar that
 * does all that its key allows.
 */
import { type PeerName, peerName } from '@murmuration/core'
import { Gossip } from './gossip.js'
import { Intake } from './intake.js'
import { Knowledge } from './knowledge.js'
import { signedRecord, signedVote } from './liars.test.support.js'
import { testSigner } from './network.test.support.js'
import { compareStanding, type PeerRecord, type Signer, type Vote } from './records.js'

/** The possible events, and the rules in force. */
export interface Model {
  readonly honest: readonly string[]
  readonly liar?: string
  readonly crashes?: number
  readonly falseVotes?: number
  readonly lies?: number
  /** Whether the liar signs in the names of others, with its own key. */
  readonly forges?: boolean
  readonly knowledge?: () => Knowledge
  /** Whether signatures are checked. */
  readonly checks?: boolean
}

interface State {
  readonly knows: ReadonlyMap<PeerName, Knowledge>
  readonly down: ReadonlySet<PeerName>
  /** The standings that an honest peer has voted against. */
  readonly meant: ReadonlySet<string>
  readonly crashes: number
  readonly falseVotes: number
  readonly lies: number
  readonly label: string
  readonly before: State | undefined
}

/** What an exploration has found. */
export interface Exploration {
  readonly states: number
  /** The first violation, with the path to it. */
  readonly violation: string | undefined
}

const liars = 1
const meaning = (target: PeerName, { life, refutation }: Pick<Vote, 'life' | 'refutation'>) =>
  `${target} ${life} ${refutation}`

export function recordFor(name: PeerName, change: Partial<PeerRecord> = {}): PeerRecord {
  const nothing = {
    life: 1,
    refutation: 0,
    beat: 0,
    status: 'here',
    from: 0,
    isIn: true,
    round: 0,
    samples: 0
  } as const
  return signedRecord({ ...nothing, name, broken: [], silent: [], waitsFor: [], signature: '' }, change)
}

export class Explorer {
  readonly #model: Required<Omit<Model, 'liar'>>
  readonly #honest: readonly PeerName[]
  readonly #liar: PeerName | undefined
  readonly #signer: Signer

  constructor(model: Model) {
    const none = { crashes: 0, falseVotes: 0, lies: 0, forges: false, checks: true }
    this.#model = { ...none, knowledge: () => new Knowledge(liars), ...model }
    this.#honest = model.honest.map(peerName)
    this.#liar = model.liar === undefined ? undefined : peerName(model.liar)
    const signer = testSigner(this.#honest[0])
    this.#signer = this.#model.checks ? signer : { ...signer, verify: () => true }
  }

  /** Visits all states breadth first, and ends at the first violation. */
  run(): Exploration {
    const start = this.#startState()
    const seen = new Set([keyOf(start)])
    const queue = [start]
    for (const state of queue) {
      const next = this.#moves(state)
      const isEnd = next.every(({ label }) => label.startsWith('fault'))
      const violation = this.#violated(state, isEnd)
      if (violation !== undefined) return { states: seen.size, violation: `${violation}: ${wayTo(state).join(', ')}` }
      for (const after of next) {
        const key = keyOf(after)
        if (!seen.has(key)) queue.push(after)
        seen.add(key)
      }
    }
    return { states: seen.size, violation: undefined }
  }

  get #names(): readonly PeerName[] {
    return this.#liar === undefined ? this.#honest : [...this.#honest, this.#liar]
  }

  #startState(): State {
    const { crashes, falseVotes, lies } = this.#model
    const knows = new Map(
      this.#honest.map((name) => [
        name,
        this.#knowing(
          this.#names.map((each) => recordFor(each)),
          []
        )
      ])
    )
    return { knows, down: new Set(), meant: new Set(), crashes, falseVotes, lies, label: '', before: undefined }
  }

  #knowing(records: Iterable<PeerRecord>, votes: readonly Vote[]): Knowledge {
    const knowledge = this.#model.knowledge()
    for (const record of records) knowledge.addRecord(record)
    for (const vote of votes) knowledge.addVote(vote)
    return knowledge
  }

  #moves(state: State): State[] {
    const alive = this.#honest.filter((name) => !state.down.has(name))
    return alive.flatMap((me) => [
      ...alive.filter((other) => other !== me).flatMap((other) => this.#tell(state, me, other)),
      ...this.#refute(state, me),
      ...this.#honest.filter((target) => target !== me).flatMap((target) => this.#vote(state, me, target)),
      ...(state.crashes > 0
        ? [
            {
              ...state,
              crashes: state.crashes - 1,
              down: new Set([...state.down, me]),
              label: `fault: ${me} crashes`,
              before: state
            }
          ]
        : []),
      ...(state.lies > 0 ? this.#lies().flatMap((lie) => this.#lie(state, me, lie)) : [])
    ])
  }

  /** A move in which one peer takes something in; none when nothing was new. */
  #takeIn(state: State, to: PeerName, label: string, records: Iterable<PeerRecord>, votes: readonly Vote[]): State[] {
    const current = state.knows.get(to) ?? this.#model.knowledge()
    const knowledge = this.#knowing(current.records, current.votes)
    const ignored = () => undefined
    const listener = { onNews: ignored, onRecord: ignored, onOwn: ignored }
    const intake = new Intake(
      to,
      this.#signer,
      knowledge,
      new Gossip(knowledge, 0, () => ({ round: 0, samples: 0 })),
      listener
    )
    const from = this.#liar ?? to
    for (const record of records) intake.receive(from, { records: [record], votes: [] })
    for (const vote of votes) intake.receive(from, { records: [], votes: [vote] })
    if (textOf(knowledge) === textOf(current)) return []
    return [{ ...state, knows: new Map([...state.knows, [to, knowledge]]), label, before: state }]
  }

  #tell(state: State, me: PeerName, other: PeerName): State[] {
    const current = state.knows.get(me)
    return current === undefined
      ? []
      : this.#takeIn(state, other, `${me} tells ${other}`, current.records, current.votes)
  }

  #refute(state: State, me: PeerName): State[] {
    const current = state.knows.get(me)
    const own = current?.record(me)
    if (current === undefined || own === undefined || current.votersAgainst(me).length === 0) return []
    const record = signedRecord(own, { refutation: own.refutation + 1 })
    const knowledge = this.#knowing([...current.records, record], current.votes)
    return [{ ...state, knows: new Map([...state.knows, [me, knowledge]]), label: `${me} refutes`, before: state }]
  }

  #vote(state: State, me: PeerName, target: PeerName): State[] {
    const current = state.knows.get(me)
    const record = current?.record(target)
    const isTrue = state.down.has(target)
    if (current === undefined || record === undefined || current.votersAgainst(target).includes(me)) return []
    if (!isTrue && state.falseVotes === 0) return []
    const { life, refutation } = record
    const vote = signedVote({ voter: me, target, life, refutation })
    const [next] = this.#takeInOwn(state, me, vote)
    const meant = new Set([...state.meant, meaning(target, record)])
    const label = `${isTrue ? '' : 'fault: '}${me} votes against ${target}`
    return [{ ...next, falseVotes: state.falseVotes - (isTrue ? 0 : 1), meant, label }]
  }

  #takeInOwn(state: State, me: PeerName, vote: Vote): State[] {
    const current = state.knows.get(me) ?? this.#model.knowledge()
    const knowledge = this.#knowing(current.records, [...current.votes, vote])
    return [{ ...state, knows: new Map([...state.knows, [me, knowledge]]), before: state }]
  }

  #lie(state: State, me: PeerName, lie: Lie): State[] {
    const label = `fault: ${this.#liar} tells ${me} ${lie.label}`
    return this.#takeIn(state, me, label, lie.records, lie.votes).map((next) => ({ ...next, lies: state.lies - 1 }))
  }

  /** Everything that the liar can sign, and what it cannot. */
  #lies(): Lie[] {
    const { forges } = this.#model
    const liar = this.#liar
    if (liar === undefined) return []
    const votes = this.#honest.flatMap((target) =>
      [0, 1].flatMap((refutation) =>
        (forges ? this.#names : [liar])
          .filter((voter) => voter !== target)
          .map((voter) => ({
            label: `the vote of ${voter} against ${target} ${refutation}`,
            records: [],
            votes: [{ ...signedVote({ voter: liar, target, life: 1, refutation }), voter }].map((vote) =>
              voter === liar ? signedVote(vote) : vote
            )
          }))
      )
    )
    const refutations = (forges ? this.#honest : []).map((target) => ({
      label: `that ${target} refutes`,
      records: [{ ...recordFor(target, { refutation: 9 }), signature: 'forged' }],
      votes: []
    }))
    const own = (['here', 'left'] as const).map((status) => ({
      label: `that it is ${status}`,
      records: [recordFor(liar, { refutation: 5, status })],
      votes: []
    }))
    return [...votes, ...refutations, ...own]
  }

  #violated(state: State, isEnd: boolean): string | undefined {
    const alive = this.#honest.filter((name) => !state.down.has(name))
    for (const me of alive) {
      for (const other of this.#honest) {
        const current = state.knows.get(me)
        const record = current?.record(other)
        if (other === me || record === undefined || current?.isDead(other) !== true || state.down.has(other)) continue
        if (!state.meant.has(meaning(other, record))) return `${other} is dead, and nobody honest has voted against it`
      }
    }
    return isEnd ? this.#violatedAtEnd(state, alive) : undefined
  }

  #violatedAtEnd(state: State, alive: readonly PeerName[]): string | undefined {
    const all = alive.map((name) => state.knows.get(name) ?? this.#model.knowledge())
    if (new Set(all.map(textOf)).size > 1) return 'knowledge differs'
    if (all.length === 0) return undefined
    for (const name of this.#honest) {
      const isDead = all[0].isDead(name)
      if (isDead && !state.down.has(name)) return `${name} lives and stays dead`
      if (!isDead && state.down.has(name) && alive.length > liars) return `${name} is never found dead`
    }
    return undefined
  }
}

interface Lie {
  readonly label: string
  readonly records: readonly PeerRecord[]
  readonly votes: readonly Vote[]
}

/** One text for all equal knowledge. */
export function textOf(knowledge: Knowledge): string {
  const records = [...knowledge.records].sort((a, b) => (a.name < b.name ? -1 : 1))
  const votes = knowledge.votes.sort(
    (a, b) => compareStanding(a, b) || (`${a.target} ${a.voter}` < `${b.target} ${b.voter}` ? -1 : 1)
  )
  return JSON.stringify([
    records.map(({ name, life, refutation, beat, status }) => [name, life, refutation, beat, status]),
    votes.map(({ voter, target, life, refutation }) => [voter, target, life, refutation])
  ])
}

function keyOf(state: State): string {
  const { crashes, falseVotes, lies } = state
  const texts = [...state.knows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, knowledge]) => textOf(knowledge))
  return JSON.stringify([crashes, falseVotes, lies, [...state.down].sort(), [...state.meant].sort(), texts])
}

function wayTo({ before, label }: State): string[] {
  return before === undefined ? [] : [...wayTo(before), label]
}
