/**
 * Peers that agree on epochs, in every order of events: each note that was ever sent may arrive at any time, any number
 * of times or never; peers die, start again in another life, and are wrongly taken for gone.
 */
import { type PeerName, peerName } from '@murmuration/core'
import type { Model, Move } from '../edges/explore.test.support.js'
import { epochOfAll, signerOf } from './agreement-swarm.test.support.js'
import type { AgreementOptions } from './agreement.js'
import { type Ballot, type Epoch, isBefore, isMember, isQuorum, noEpoch, type MemberStanding } from './epoch.js'
import { readNote } from './notes.js'
import { type AgreementClass, type Fields, fieldsOf, fieldsText, withFields } from './open-agreement.test.support.js'

/** How often each fault may happen, and the size of the model. */
export interface AgreementModelOptions {
  /** The class, or a mutant of it. */
  readonly agreement: AgreementClass
  readonly deaths?: number
  readonly restarts?: number
  /** How often a peer takes another one that lives for gone. */
  readonly mistakes?: number
  /** How often a round fails although nobody is gone. */
  readonly failures?: number
  /** How many rounds are trained. */
  readonly rounds?: number
  /** The highest number of a ballot. */
  readonly ballots?: number
  /** The last epoch. */
  readonly epochs?: number
}

const faults = ['deaths', 'restarts', 'mistakes', 'failures', 'rounds'] as const
type Fault = (typeof faults)[number]

/** Whether there is an option of this name. */
export function isSize(name: string): boolean {
  return [...faults, 'ballots', 'epochs'].includes(name)
}

/** One peer: plain data that never changes, and part of many states. */
interface Local {
  readonly fields: Fields
  readonly life: number
  readonly isUp: boolean
  readonly isRunning: boolean
  readonly standing: MemberStanding
  /** The lives of others that it takes for gone. */
  readonly gone: Readonly<Record<string, number>>
  /** The epoch for which it has made its last promise. */
  readonly promisedFor: number
  readonly id: number
}

interface State {
  readonly locals: readonly Local[]
  /** What has been sent, in the order of its numbers. */
  readonly sent: readonly number[]
  readonly left: Readonly<Record<Fault, number>>
  /** What has been decided, as anybody has known it. */
  readonly decided: readonly (Epoch | undefined)[]
  readonly problem: string | undefined
}

interface Note {
  readonly from: PeerName
  readonly to: PeerName
  readonly text: string
  /** The epoch that it is about; for a join the next that there may be. */
  readonly epoch: number
  readonly ballot: Ballot | undefined
}

/** What an action of a peer leads to. */
interface Outcome {
  readonly local: Local
  readonly sent: readonly number[]
  readonly problem: string | undefined
}

const names = ['a', 'b', 'c'].map(peerName)
const peers = new Set<string>(names)
const first = epochOfAll(names)

export function agreementModel(options: AgreementModelOptions): Model<State> {
  const world = new World(options)
  return {
    start: world.start(),
    moves: (state) => [...world.moves(state)],
    keyOf: ({ locals, sent, left, decided }) => {
      const known = decided.map((epoch) => (epoch === undefined ? '' : epochText(epoch)))
      return `${locals.map(({ id }) => id).join()} ${sent.join()} ${Object.values(left).join()} ${known.join()}`
    },
    problemOf: ({ problem }) => problem
  }
}

const epochTexts = new WeakMap<Epoch, string>()

function epochText(epoch: Epoch): string {
  const text = epochTexts.get(epoch) ?? JSON.stringify(epoch)
  epochTexts.set(epoch, text)
  return text
}

class World {
  readonly #options: Required<Pick<AgreementModelOptions, 'agreement' | 'ballots' | 'epochs'>>
  readonly #left: Record<Fault, number>
  readonly #locals = new Map<string, Local>()
  readonly #notes: Note[] = []
  readonly #numbers = new Map<string, number>()
  readonly #outcomes = new Map<string, Outcome>()

  constructor({ agreement, ballots = 2, epochs = 1, ...counts }: AgreementModelOptions) {
    this.#options = { agreement, ballots, epochs }
    this.#left = Object.fromEntries(faults.map((fault) => [fault, counts[fault] ?? 0])) as Record<Fault, number>
  }

  start(): State {
    const locals = names.map((name) => this.#fresh(name, 1))
    return { locals, sent: [], left: this.#left, decided: [first], problem: undefined }
  }

  /** A process that begins with all, or in a later life, that is in no epoch. */
  #fresh(name: PeerName, life: number): Local {
    const isFirst = life === 1
    const standing = { opened: isFirst ? 0 : noEpoch.number, round: isFirst ? 7 : 0, hasModel: isFirst, samples: 1 }
    const blank = { life, isUp: true, isRunning: isFirst, standing, gone: {}, promisedFor: 0 }
    const agreement = new this.#options.agreement(this.#optionsOf(name, blank, false))
    if (isFirst) agreement.begin(first)
    return this.#interned({ ...blank, fields: fieldsOf(agreement) })
  }

  #dead(name: PeerName, life: number): Omit<Local, 'id'> {
    return { ...this.#fresh(name, life), gone: {}, isUp: false }
  }

  /** The same object for equal peers. Of one that knows the last epoch nothing else counts. */
  #interned(local: Omit<Local, 'id'>): Local {
    const { fields, ...others } = local
    const isOver = fields._epoch.number >= this.#options.epochs
    const key = isOver
      ? `${others.life} ${epochText(fields._epoch)}`
      : fieldsText(fields) + JSON.stringify({ ...others, id: undefined })
    const known = this.#locals.get(key) ?? { ...local, id: this.#locals.size }
    this.#locals.set(key, known)
    return known
  }

  #optionsOf(self: PeerName, { life, gone }: Pick<Local, 'life' | 'gone'>, isImpatient: boolean): AgreementOptions {
    return {
      self,
      peers: names,
      signer: signerOf(self),
      servers: [],
      neededServers: 0,
      isEqual: true,
      hasOwnPace: false,
      needsEveryPair: true,
      stopTimeout: isImpatient ? 0 : Number.POSITIVE_INFINITY,
      surroundings: {
        life,
        isGone: (place) => place.name !== self && (gone[place.name] ?? 0) >= place.life,
        hasLeft: () => false,
        hasFinished: () => false,
        isSilent: () => false,
        mayJoin: (place) => (gone[place.name] ?? 0) < place.life,
        broken: [],
        present: names.filter((name) => name !== self)
      }
    }
  }

  *moves(state: State): Iterable<Move<State>> {
    for (const [index, name] of names.entries()) {
      const local = state.locals[index]
      if (local.isUp && local.fields._epoch.number < this.#options.epochs) {
        yield* this.#own(state, index, local)
        yield* this.#arrivals(state, index, local)
        yield* this.#learns(state, index, local)
        yield* this.#fault(state, 'deaths', `${name} dies`, index, () => this.#dead(name, local.life))
      } else if (!local.isUp)
        yield* this.#fault(state, 'restarts', `${name} starts again`, index, () => this.#fresh(name, local.life + 1))
    }
  }

  /** What a peer does of itself. */
  *#own(state: State, index: number, local: Local): Iterable<Move<State>> {
    const name = names[index]
    const { isRunning, standing } = local
    const { _epoch: epoch } = local.fields
    const { isIn, mustStop } = this.#open(name, local)
    yield* this.#act(state, index, `${name} looks around`, (agreement) => void agreement.tick(0), local, true)
    if (isRunning && mustStop) yield* this.#stop(state, index, local, `${name} stops`)
    if (!isRunning && isIn && local.fields._begun < epoch.number)
      yield* this.#act(state, index, `${name} begins`, (agreement) => agreement.started(), {
        ...local,
        isRunning: true
      })
    if (isRunning && isIn && local.fields._begun === epoch.number && standing.opened < epoch.number) {
      const opened = { ...standing, opened: epoch.number, round: epoch.round, hasModel: true }
      yield* this.#act(state, index, `${name} opens`, () => {}, { ...local, standing: opened })
    }
    if (!isRunning && !isIn) yield* this.#act(state, index, `${name} asks to join`, (agreement) => agreement.join(1))
    if (isRunning && standing.opened === epoch.number) {
      const trained = { ...local, standing: { ...standing, round: standing.round + 1 } }
      if (state.left.rounds > 0)
        yield* this.#act(this.#less(state, 'rounds'), index, `${name} trains`, () => {}, trained)
    }
    if (isRunning && isIn && state.left.failures > 0)
      yield* this.#stop(this.#less(state, 'failures'), index, local, `the round of ${name} fails`, true)
  }

  #less(state: State, fault: Fault): State {
    return { ...state, left: { ...state.left, [fault]: state.left[fault] - 1 } }
  }

  *#stop(state: State, index: number, local: Local, label: string, isStuck = false): Iterable<Move<State>> {
    const { standing } = local
    yield* this.#act(
      state,
      index,
      label,
      (agreement) => {
        if (isStuck) agreement.isStuck = true
        agreement.stopped(standing, 0)
      },
      { ...local, isRunning: false }
    )
  }

  *#arrivals(state: State, index: number, local: Local): Iterable<Move<State>> {
    for (const number of state.sent) {
      const { from, to, text } = this.#notes[number]
      if (to !== names[index]) continue
      const label = `${to} receives ${from}'s ${text.slice(1)}`
      yield* this.#act(state, index, label, (agreement) => agreement.receive(from, text, 0), local)
    }
  }

  /** A peer takes another for gone: because it is down or has another life, or by mistake. */
  *#learns(state: State, index: number, local: Local): Iterable<Move<State>> {
    for (const [other, { isUp, life }] of state.locals.entries()) {
      const name = names[other]
      const past = isUp ? life - 1 : life
      const learns = (until: number) => ({ ...local, gone: { ...local.gone, [name]: until } })
      const known = local.gone[name] ?? 0
      if (other === index) continue
      if (known < past)
        yield* this.#act(state, index, `${names[index]} learns that ${name} is gone`, () => {}, learns(past))
      if (isUp && known < life && state.left.mistakes > 0) {
        const label = `${names[index]} takes ${name} for gone`
        yield* this.#act(this.#less(state, 'mistakes'), index, label, () => {}, learns(life))
      }
    }
  }

  *#fault(
    state: State,
    fault: Fault,
    label: string,
    index: number,
    next: () => Omit<Local, 'id'>
  ): Iterable<Move<State>> {
    if (state.left[fault] === 0) return
    const locals = state.locals.with(index, this.#interned(next()))
    yield { label, isFault: true, next: { ...this.#less(state, fault), locals } }
  }

  #open(name: PeerName, local: Omit<Local, 'id'>, isImpatient = false) {
    const agreement = new this.#options.agreement(this.#optionsOf(name, local, isImpatient))
    return withFields(agreement, local.fields)
  }

  /** An action of one peer, which depends on nothing but what that peer knows. */
  *#act(
    state: State,
    index: number,
    label: string,
    act: (agreement: InstanceType<AgreementClass>) => string | void,
    next: Omit<Local, 'id'> = state.locals[index],
    isImpatient = false
  ): Iterable<Move<State>> {
    const before = state.locals[index]
    const key = `${before.id} ${label}`
    const outcome = this.#outcomes.get(key) ?? this.#outcome(names[index], before, act, next, isImpatient)
    this.#outcomes.set(key, outcome)
    const { local, sent } = outcome
    if (local === before && sent.every((number) => state.sent.includes(number))) return
    if (local.fields._promised[0] > this.#options.ballots) return
    const all = sent.length === 0 ? state.sent : [...new Set([...state.sent, ...sent])].sort((a, b) => a - b)
    const { decided, problem } = withDecision(state.decided, local.fields._epoch)
    const locals = state.locals.with(index, local)
    const after = { ...state, locals, sent: all, decided, problem: outcome.problem ?? problem }
    yield { label, isFault: false, next: { ...after, sent: all.filter((number) => this.#counts(after, number)) } }
  }

  /** Whether a note may still do anything where it arrives. */
  #counts({ locals, left }: State, number: number): boolean {
    const { to, epoch, ballot } = this.#notes[number]
    const { fields, isUp } = locals[names.indexOf(to)]
    if (!isUp && left.restarts === 0) return false
    if (fields._epoch.number >= this.#options.epochs || epoch <= fields._epoch.number) return false
    return ballot === undefined || epoch > fields._epoch.number + 1 || !isBefore(ballot, fields._promised)
  }

  #outcome(
    name: PeerName,
    before: Local,
    act: (agreement: InstanceType<AgreementClass>) => string | void,
    next: Omit<Local, 'id'>,
    isImpatient: boolean
  ): Outcome {
    const agreement = this.#open(name, next, isImpatient)
    const fault = act(agreement)
    const notes = agreement.take().map(({ to, note }) => noteOf(name, to, note))
    const fields = fieldsOf(agreement)
    const promise = notes.map(({ text }) => readNote(text, peers)).find((note) => isPromise(note))
    const isPromised = promise !== undefined || fields._proposal?.promises.has(name) === true
    const promisedFor = isPromised ? fields._epoch.number + 1 : next.promisedFor
    const local = this.#interned({ ...next, fields, promisedFor })
    const problem =
      (typeof fault === 'string' ? `${name} counts a fault: ${fault}` : undefined) ??
      promiseProblem(name, before, local, promise) ??
      ballotProblem(name, before.fields, fields) ??
      valueProblem(name, before.fields._proposal, fields._proposal)
    return { local, sent: notes.map((note) => this.#numberOf(note)), problem }
  }

  #numberOf(note: Note): number {
    const key = `${note.from} ${note.to} ${note.text}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.#notes.length)
    return this.#notes.push(note) - 1
  }
}

function noteOf(from: PeerName, to: PeerName, text: string): Note {
  const note = readNote(text, peers)
  if (typeof note === 'string') throw new Error(`${from} sends ${note}`)
  const of = (epoch: number, ballot?: Ballot): Note => ({ from, to, text, epoch, ballot })
  switch (note.kind) {
    case 'decided':
      return of(note.decisions[0].value.number)
    case 'latest':
      return of(note.value.number)
    case 'join':
      return of(Number.POSITIVE_INFINITY)
    default:
      return 'ballot' in note ? of(note.epoch, note.ballot) : of(note.epoch + 1)
  }
}

function isPromise(note: ReturnType<typeof readNote>): note is Promised {
  return typeof note === 'object' && note.kind === 'promise'
}

type Promised = Extract<ReturnType<typeof readNote>, { kind: 'promise' }>

/** E1 and E2: what is wrong with an epoch that a peer knows. */
function withDecision(decided: State['decided'], epoch: Epoch): Pick<State, 'decided' | 'problem'> {
  const { number, members } = epoch
  if (number < 1 || decided[number] === epoch) return { decided, problem: undefined }
  const known = decided[number]
  if (known !== undefined) {
    const problem = `epoch ${number} is ${epochText(known)} and ${epochText(epoch)}`
    return { decided, problem: epochText(known) === epochText(epoch) ? undefined : problem }
  }
  const last = decided[number - 1]
  const staying = new Set(
    members.filter(({ name, life }) => last && isMember(last, name, life)).map(({ name }) => name)
  )
  const hasQuorum = last !== undefined && isQuorum(last, staying)
  const problem = hasQuorum ? undefined : `epoch ${number} of ${[...staying].join()} has no quorum of the last one`
  return { decided: [...decided, epoch], problem }
}

/** E5 and E6: what is wrong with a promise, or with what a peer does after it. */
function promiseProblem(
  name: PeerName,
  before: Local,
  { isRunning, standing, life, fields, promisedFor }: Local,
  promise: Promised | undefined
): string | undefined {
  const isBound = promisedFor === fields._epoch.number + 1
  if (isBound && isRunning) return `${name} trains after its promise`
  if (isBound && before.promisedFor === promisedFor && JSON.stringify(before.standing) !== JSON.stringify(standing))
    return `the standing of ${name} changes after its promise`
  if (promise === undefined) return undefined
  if (!isMember(fields._epoch, name, life)) return `${name} promises in life ${life}, in which it is no member`
  return JSON.stringify(promise.standing) === JSON.stringify(standing) ? undefined : `${name} promises what it has not`
}

/** A peer accepts nothing under a lower ballot than it has promised to follow, and follows what it has accepted. */
function ballotProblem(name: PeerName, before: Fields, after: Fields): string | undefined {
  const { _accepted: accepted } = after
  if (accepted === undefined || accepted.ballot === before._accepted?.ballot) return undefined
  if (isBefore(accepted.ballot, before._promised)) return `${name} accepts under a lower ballot than it has promised`
  return isBefore(after._promised, accepted.ballot) ? `${name} does not follow what it has accepted` : undefined
}

/** What is wrong with a new value: all that have promised are in it, and the newest of their models count. */
function valueProblem(name: PeerName, before: Fields['_proposal'], after: Fields['_proposal']): string | undefined {
  if (after?.value === undefined || before?.value !== undefined) return undefined
  const promises = [...after.promises] as unknown as [PeerName, { standing: MemberStanding; accepted?: object }][]
  if (promises.some(([, { accepted }]) => accepted !== undefined)) return undefined
  const { members, givers } = after.value
  const missing = promises.find(([peer]) => !members.some((place) => place.name === peer))
  if (missing !== undefined) return `${name} leaves out ${missing[0]}, which has promised`
  const places = new Set(
    promises
      .filter(([peer]) => givers.includes(peer))
      .map(([, { standing }]) => `epoch ${standing.opened}, round ${standing.round}`)
  )
  return places.size > 1 ? `${name} takes the mean of models of ${[...places].join(' and ')}` : undefined
}
