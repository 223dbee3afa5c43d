/** What an algorithm is: one record, from which all else follows; and what its rounds see of the world. */
import {
  type Computation,
  InputError,
  invariant,
  type Links,
  type Milliseconds,
  type PeerName,
  type Random,
  type TaskKernel,
  type Topology,
  type Work
} from '@murmuration/core'
import type * as z from 'zod'
import type { Objects } from '../store/objects.js'
import type { Message, Range, State, Vector } from '../vectors/vector.js'
import type { NumberField } from './number-fields.js'
import type { OptimiserSettings, Stepper } from './optimiser-record.js'
import type { Tensor } from '../vectors/ranges.js'
import { type LateWord, recordProblem } from './record-problem.js'

export type { Message, State } from '../vectors/vector.js'
export type { Optimiser, OptimiserSettings } from './optimiser-record.js'

/** Values per peer, in the order of names. A peer may have none. */
export interface PerPeer<T> {
  readonly [peer: string]: T | undefined
}

/** The same, to be filled. */
type MutablePerPeer<T> = { [peer: string]: T | undefined }

/** An empty record of values per peer. It has no prototype, since a peer may be called `constructor`. */
export function perPeer<T>(): MutablePerPeer<T> {
  return Object.create(null) as MutablePerPeer<T>
}

/** The values of those peers that have one. */
export function valuesOf<T>(all: PerPeer<T>): readonly T[] {
  return Object.values(all).filter((value) => value !== undefined)
}

/** The value of a peer that has one, as all have where delivery is reliable. */
export function valueOf<T>(all: PerPeer<T>, peer: PeerName): T {
  const value = all[peer]
  invariant(value !== undefined, () => `nothing is known of ${peer}`)
  return value
}

const weights: unique symbol = Symbol('agreed weights')

/**
 * What was collected: the message of each peer, and the weights on which the ends of edges have agreed. They belong to
 * the peers, not to the messages: a copy of a message, or another in its place, has the same weight.
 */
export interface Collected<M> extends PerPeer<M> {
  /** W_ij as both ends use it in this round, where a row is repaired; the topology's where absent. */
  readonly [weights]: ReadonlyMap<string, number> | undefined
}

/** Messages as collected, to be filled, with these weights. */
export function collected<M>(agreed?: ReadonlyMap<string, number>): MutablePerPeer<M> & Collected<M> {
  const all = perPeer<M>()
  return (agreed === undefined ? all : Object.assign(all, { [weights]: agreed })) as MutablePerPeer<M> & Collected<M>
}

/** The weights of {@link Collected}; undefined where all are the topology's. */
export function agreedWeights(all: Collected<unknown>): ReadonlyMap<string, number> | undefined {
  return all[weights]
}

/** Which peers send to which under which tag. A collective makes one per hop. */
export interface Route {
  readonly peer: PeerName
  readonly round: number
  /** Tells the messages of one round on one channel apart, 0 … 65,535; 0 when absent. */
  readonly part?: number
  /** Which range of the parameters is sent, where the channel carries ranges. */
  readonly range?: Range
  /** In the order of names, like `from`. */
  readonly to: readonly PeerName[]
  readonly from: readonly PeerName[]
}

/** A route with weights: this peer's row and column of the mixing matrix W in a round. */
export interface Mixing extends Route {
  /** W_ii */
  readonly own: number
  /** W_ij: the weight of j's message in this peer's average. */
  row(j: PeerName): number
  /** W_ji: the weight of this peer's message in j's average. */
  column(j: PeerName): number
  /**
   * The weight that this peer offers each neighbour, and sends along, in a round whose row is not the topology's. Then
   * `row` is this offer.
   */
  readonly offer?: number | undefined
  /** W_ji by the topology: the weight that j offers. */
  filed?(j: PeerName): number
  /** The peers that it sends to, and receives from, by the topology. */
  readonly filedTo?: readonly PeerName[]
  readonly filedFrom?: readonly PeerName[]
}

/**
 * The fields of a message: a 'vector' is as long as the parameters, a 'range' is a part of them, a 'number' is any
 * finite float64, a {@link NumberField} one that the protocol allows. A 'packed' vector is sent without loss whatever
 * the run's codec, in few bytes if most of its numbers are 0 or few are different: for algorithms that compress; so is
 * a 'packed range'. 'samples' are a packed range of numbers of any size, which are compared with nothing. 'factors' are
 * of low rank, and at most as many numbers as the parameters.
 */
export type Shape = Readonly<Record<string, VectorKind | 'number' | NumberField>>
export type VectorKind = 'vector' | 'packed' | 'range' | 'packed range' | 'samples' | 'factors'
export type Shaped<F extends Shape> = { readonly [K in keyof F]: F[K] extends VectorKind ? Vector : number }

/** A channel of requests and replies. */
export interface Call<A extends Shape = Shape, R extends Shape = Shape> {
  readonly ask: A
  readonly reply: R
}
export type Channels = Readonly<Record<string, Shape | Call>>

/** Named messages of one shape, with a mailbox of their own. */
export interface Channel<M extends Message> {
  /** Sends one message, or one per receiver, to all of `route.to`. Returns the peers that cannot be reached now. */
  send(route: Route, message: M | ((j: PeerName) => M)): readonly PeerName[]
  /**
   * The messages that all of `route.from` sent under this tag, in the order of names, once all have arrived or the
   * timeout has passed. Early messages are kept; late ones and duplicates are dropped, except for `edges`. A missing
   * peer has no entry; with reliable delivery that is an error.
   *
   * @param staleness - by how many rounds the newest message of a missing peer may be older, if it was not returned
   *   before; 0 when absent
   */
  collect(route: Route, staleness?: number): Promise<Collected<M>>
  /**
   * The next message of any peer, in the order of arrival, whatever its tag. A role uses a channel through this or
   * through `collect`, not both.
   *
   * @param awaited - the peers that are missing when nothing arrives in time
   * @throws NeighboursMissingError that names them
   */
  next(awaited: () => readonly PeerName[], options?: NextOptions): Promise<Arrival<M>>
  /** As `next`, but only a message that has arrived, or arrives `within` a time. */
  arrived(options?: NextOptions): Promise<Arrival<M> | undefined>
  /** Counts a message as its sender's fault. */
  reject(arrival: Arrival<M>, reason: string): void
}

/** Which message is next, and how long it is waited for. */
export interface NextOptions {
  /** Messages of later rounds stay in the mailbox; messages of any round are taken when absent. */
  readonly round?: number
  /**
   * How many timeouts to wait, 1 when absent; 2 where the senders wait too: else they would be blamed for the peer that
   * they wait for.
   */
  readonly timeouts?: number
  /** How long to wait where no message needs to arrive; 0 when absent. */
  readonly within?: Milliseconds
}

/** A message, its sender, and its tag. */
export interface Arrival<M> {
  readonly from: PeerName
  readonly round: number
  readonly part: number
  readonly message: M
}

/** Requests: the receiver's `answers` computes the reply. */
export interface Requests<A extends Message, R extends Message> {
  /** The reply, or `undefined` when none arrives within the timeout. */
  request(to: PeerName, ask: A): Promise<R | undefined>
}
export type ChannelOf<D> =
  D extends Call<infer A, infer R> ? Requests<Shaped<A>, Shaped<R>> : D extends Shape ? Channel<Shaped<D>> : never

/** An exchange along an edge that one end continued without, now that the other end's message has arrived. */
export interface Flow<M> {
  readonly from: PeerName
  readonly round: number
  /** What both ends mix with. */
  readonly weight: number
  /** The messages as sent: a round without delay would have added `weight (theirs − mine)`. */
  readonly mine: M
  readonly theirs: M
}

/**
 * How a late flow enters the state; 'dropped' where no sum over the peers is kept. 'added': a message carries mass that
 * has left its sender for good. It is added to the fields of the same names, even if it arrives late or from a peer
 * outside the row; the ends need not agree on anything.
 */
export type LateFlow<S, M, O = unknown> = LateWord | ((state: S, flow: Flow<M>, options: O) => S)

type Ask<D> = D extends Call ? Shaped<D['ask']> : never
type Reply<D> = D extends Call ? Shaped<D['reply']> : never

export type RoleName = 'worker' | 'server'

/** The result of a step of dual ascent. */
export interface Ascended {
  readonly x: Vector
  readonly a: Vector
}

/** Dual coordinate ascent on this peer's samples: see TaskDual. Only for a record that needs a dual. */
export interface DualAscent {
  /** The a = 0 that belongs to x = 0. */
  zero(): Vector
  /**
   * Goes `passes` times through the samples, each time in a new order: from a, and with x in place of w(a). Returns the
   * new a, and x moved by K times the change of w(a).
   */
  step(x: Vector, a: Vector, passes: number): PromiseLike<Ascended>
}

/** What an algorithm sees of the world, without its channels. */
export interface BaseNode<O, S> extends Stepper {
  readonly self: PeerName
  readonly options: O
  /** How many rounds of training there are, and how long to wait for a message. */
  readonly rounds: number
  readonly timeout: Milliseconds
  /** How many rounds of the run were before round 0 of this node: those of earlier epochs. Periods count from there. */
  readonly first: number
  /** Where each tensor lies in the parameters, in order, without empty tensors. */
  readonly tensors: readonly Tensor[]
  /** All peers of a role, in the order of names. */
  peers(role?: RoleName): readonly PeerName[]
  mixing(round: number): Mixing
  /** A route to and from all of `members` except this peer; all workers when absent. */
  route(round: number, members?: readonly PeerName[]): Route
  /**
   * The gradient at x of the mean loss over the next batch, computed while messages are sent and received; `await` it
   * in the round, one at a time. Where it has parts, they may be awaited before.
   */
  gradient(x: Vector): Computation<Vector>
  readonly dual: DualAscent
  /** Another optimiser, with a state of its own under `name`. */
  optimiser(name: string, settings: OptimiserSettings): Stepper
  /**
   * Copies the moving statistics of `from` into `to`, which must be new, and returns `to`. Statistics are not descended
   * on: an algorithm's own momentum or rate does not apply to them.
   *
   * @param first - the index of the parameter that both begin with; 0 when absent
   */
  withStatistics(to: Vector, from: Vector, first?: number): Vector
  /** The learning rate γ of a round. */
  rate(round: number): number
  /** Random numbers that depend only on the seed, the peer, the purpose and the round. */
  random(purpose: string, round: number): Random
  /** Changes the state at once. Required where `answers` may change it too. */
  change(change: (state: S) => S): void
  /** The store that the run's servers share; only for a record that needs one. */
  readonly store: Objects
  /** The samples and the kernel of the task; only for a record that needs one. */
  readonly kernel: NodeKernel
}
/** A {@link TaskKernel} whose works run while messages are sent and received; `await` them in the round. */
export type NodeKernel = {
  readonly [K in keyof TaskKernel]: TaskKernel[K] extends (...given: infer G) => Work<infer R>
    ? (...given: G) => PromiseLike<R>
    : TaskKernel[K]
}
export type NodeTraits<O> = Pick<
  BaseNode<O, State>,
  'self' | 'options' | 'rounds' | 'first' | 'tensors' | 'peers' | 'dual' | 'kernel'
>
export type Node<O, C extends Channels, S> = BaseNode<O, S> & { readonly [N in keyof C]: ChannelOf<C[N]> }

/** What an algorithm requires. It is checked before anything starts; a run without it is refused with the reason. */
export interface Needs {
  /** Which sums of the mixing matrix are 1. */
  readonly weights?: 'rows' | 'columns' | 'both' | 'symmetric'
  /**
   * 'fixed': the same neighbours with the same weights in every round. A tree is fixed too. 'groups': in every round a
   * peer's neighbours are neighbours of each other.
   */
  readonly graph?: 'tree' | 'fixed' | 'groups'
  /** Every eigenvalue of a fixed symmetric W must be above this. */
  readonly eigenvalues?: number
  /** Which peers a peer sends to: its neighbours only when absent. */
  readonly reach?: 'everyone'
  /**
   * 'reliable': a missing message is an error. 'any': a peer that hears no neighbour continues alone, with two timeouts
   * per round.
   */
  readonly delivery?: 'reliable' | 'any'
  /**
   * 'fixed': no peer joins or starts anew, as where neighbours keep running sums of each other. A restart with the
   * saved state is no new start.
   */
  readonly members?: 'fixed'
  /**
   * 'exact': links carry the numbers unchanged, so the codec is float32. For rules whose sums keep every rounding
   * error. 'fine': any codec but int4. For rules that divide a difference of models, and so its rounding error, by the
   * rate.
   */
  readonly links?: 'exact' | 'fine'
  /** How many servers; none when absent. */
  readonly servers?: number
  /** Whether servers share a store. */
  readonly store?: true
  /** Whether the task must have a dual. */
  readonly dual?: true
  /** Whether the task must have a kernel; training samples are then sent to other peers. */
  readonly kernel?: true
}

/**
 * What rounds without missing messages preserve, apart from optimiser steps: the mean of `x`; `Σ x` and `Σ w`;
 * equality; or nothing.
 */
export type Keeps = 'mean' | 'weighted mean' | 'equality' | 'nothing'

/** What a peer of a role does. `start`, `model`, `done` and `answers` are synchronous. */
export interface Role<O, C extends Channels, S extends State> {
  start(origin: { readonly x: Vector; readonly zero: Vector }, node: NodeTraits<O>): S
  /**
   * One round: state in, state out. Where there are `answers`, it changes the state by `node.change` and returns
   * nothing.
   */
  round?(node: Node<O, C, S>, state: S, k: number): Promise<S | void>
  readonly answers?: {
    readonly [N in keyof C]?: (
      node: Node<O, C, S>,
      state: S,
      ask: Ask<C[N]>,
      from: PeerName
    ) => { readonly state: S; readonly reply: Reply<C[N]> }
  }
  /**
   * What is reported and evaluated; `state.x` when absent. Then the vector `x` of a message of this round without
   * numbers is taken for its sender's model too, and its distance is reported.
   */
  model?(state: S): Vector
  /**
   * Whether the run ends with the round that has made this state; never when absent. Only of a record that keeps
   * equality: then all peers know it in the same round.
   */
  done?(state: S): boolean
  /** Of a record that keeps a weighted mean: its `x` and `w`; those of the state when absent. */
  mass?(state: S): { readonly x: Vector; readonly w: number }
}

/** What every algorithm says of itself, whether its parameters are a vector or keyed rows. */
export interface Description<Z extends z.ZodObject = z.ZodObject> {
  /** In files and on the command line. */
  readonly name: string
  /** In tables and charts. */
  readonly title: string
  /** Who published it, and where. */
  readonly source: string
  readonly options: Z
  /**
   * What options stand for that are words, such as `graph`, where it follows from the graph and the links between all
   * peers; no links where a program gives none. The same on every machine. optionsOn in needs.ts fills it in.
   *
   * @throws InputError where an option is impossible there
   */
  readonly fromGraph?: (
    topology: Topology,
    links: Links | undefined,
    options: z.output<Z>
  ) => { readonly [N in keyof z.output<Z>]?: z.output<Z>[N] | undefined }
  readonly needs: Needs
  readonly keeps: Keeps
  /**
   * 'own': neighbours need not be in the same round, so there are no common checkpoints. Implied by `answers`, and by
   * servers that keep nothing.
   */
  readonly pace?: 'own'
  /** How many rounds lie between two exchanges with neighbours; 1 when absent. */
  every?(options: z.output<Z>): number
  /** How many neighbours a peer needs in every round, so that it does not train alone; none when absent. */
  neighbours?(options: z.output<Z>): number
  /** How many workers it needs with these options; 1 when absent. */
  workers?(options: z.output<Z>): number
  /** Why so many workers cannot run it with these options, and what to do, in a sentence; undefined if they can. */
  refuses?(options: z.output<Z>, workers: number): string | undefined
  /** The path of the user's module that it comes from; for errors. */
  readonly module?: string
}

/** An algorithm over a vector of parameters, with the types of its options, channels and states. */
export interface Definition<Z extends z.ZodObject, C extends Channels, S extends State, T extends State>
  extends Description<Z>, Role<z.output<Z>, C, S> {
  /**
   * The fields of a worker's state, vectors as long as the parameters, with whose mean the next epoch continues: what
   * `start` does not make of the model. None when absent.
   */
  readonly carries?: readonly (keyof S & string)[]
  /** No channel may have the name of a node's property. */
  readonly channels: C & { readonly [K in keyof BaseNode<unknown, unknown>]?: never }
  /**
   * The channels whose messages are exchanged along the edges of the round's mixing, one by each end: both ends use
   * both messages or neither does, even if one end has continued without the other. The value says how a late flow
   * enters the state; see {@link addFlow}. For a channel of requests it is a weight: a reply moves the asker's state by
   * this fraction of `reply − ask`, field by field. The answer has moved the other end by the opposite, so a late reply
   * is used too.
   */
  readonly edges?: { readonly [N in keyof C]?: C[N] extends Shape ? LateFlow<S, Shaped<C[N]>, z.output<Z>> : number }
  /** What a server does, where there are servers. */
  readonly server?: Role<z.output<Z>, C, T>
}

export type AnyNode = Node<unknown, Channels, State>
export type AnyAnswer = (
  node: AnyNode,
  state: State,
  ask: Message,
  from: PeerName
) => { readonly state: State; readonly reply: Message }
export type AnyRole = Omit<Role<unknown, Channels, State>, 'answers'> & {
  readonly answers?: Readonly<Record<string, AnyAnswer>>
}
export type Algorithm = Omit<Definition<z.ZodObject, Channels, State, State>, keyof AnyRole | 'edges' | 'server'> &
  AnyRole & {
    readonly edges?: Readonly<Record<string, LateFlow<State, Message> | number>>
    readonly server?: AnyRole
    /** Tells it from algorithms over keyed rows. */
    readonly kind: 'vector'
  }

/** Known to every copy of this package, so that a user's module may have a copy of its own. */
const brand = Symbol.for('murmuration.algorithm')

/** A checked definition of this kind. Throws an InputError that names a part that is missing or wrong. */
export function branded<D extends object, K extends string>(definition: D, kind: K): D & { readonly kind: K } {
  const problem = recordProblem({ ...definition, kind })
  if (problem !== undefined) throw new InputError(`algorithm: ${problem}`)
  return Object.assign({ [brand]: true, kind }, definition)
}

/** Checks an algorithm, and erases its types. Throws an InputError that names a part that is missing or wrong. */
export function algorithm<Z extends z.ZodObject, C extends Channels, S extends State, T extends State = State>(
  definition: Definition<Z, C, S, T>
): Algorithm {
  return branded(definition, 'vector') as unknown as Algorithm
}

/** Whether an export of a module is an algorithm, of whichever kind. */
export function isAlgorithm(value: unknown): value is Description & { readonly kind: string } {
  return typeof value === 'object' && value !== null && brand in value
}
