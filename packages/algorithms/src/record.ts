/** What an algorithm is: one record, from which all else follows; and what its rounds see of the world. */
import type { Milliseconds, PeerName, Random, Topology } from '@murmuration/core'
import type { z } from 'zod'
import type { KeyService } from './keys/record.js'
import type { Objects } from './node/objects.js'
import type { Message, Range, State, Vector } from './node/vector.js'
import type { OptimiserSettings } from './optimiser-record.js'
import type { Tensor } from './ranges.js'

export type { Message, State } from './node/vector.js'
export type { Optimiser, OptimiserSettings } from './optimiser-record.js'

/** Something of each peer, in the order of names. A peer that is missing is not in it. */
export interface PerPeer<T> {
  readonly [peer: string]: T
}

/** An empty record for something of each peer. It has no prototype, since a peer may be called `constructor`. */
export function perPeer<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>
}

/** What is of `peer`, if there is any. */
export function messageOf<T>(all: PerPeer<T>, peer: PeerName): T | undefined {
  return all[peer]
}

/** Who sends to whom under which tag. A collective makes one per hop. */
export interface Route {
  readonly peer: PeerName
  readonly round: number
  /** Tells the messages of one round on one channel apart, 0 … 65,535; 0 when absent. */
  readonly part?: number
  /** Which range of the parameters is sent, where the channel carries ranges. */
  readonly range?: Range
  /** In the order of names, as `from`. */
  readonly to: readonly PeerName[]
  readonly from: readonly PeerName[]
}

/** A route with weights: this peer's row and column of the mixing matrix W in a round. */
export interface Mixing extends Route {
  /** W_ii */
  readonly own: number
  /** W_ij: the weight of j's message in one's own average. */
  row(j: PeerName): number
  /** W_ji: the weight of one's own message in j's average. */
  column(j: PeerName): number
  /** What this peer offers each neighbour, and says so, in a round whose row is not the topology's. Then `row` is this offer. */
  readonly offer?: number | undefined
  /** What j offers by the topology: W_ji of its rows. */
  filed?(j: PeerName): number
  /** Whom it sends to by the topology, and from whom it receives. */
  readonly filedTo?: readonly PeerName[]
  readonly filedFrom?: readonly PeerName[]
}

/**
 * The fields of a message: a 'vector' is as long as the parameters, a 'range' is a part of them, a 'number' is a float64. A 'packed' vector travels bit
 * by bit as it is, whatever the run's codec, in few bytes where most of its numbers are 0 or few are different: for what an algorithm compresses itself; a
 * 'packed range' is a part of them that does.
 */
export type Shape = Readonly<Record<string, 'vector' | 'packed' | 'range' | 'packed range' | 'number'>>
export type Shaped<F extends Shape> = { readonly [K in keyof F]: F[K] extends 'number' ? number : Vector }

/** A channel of requests and replies. */
export interface Call<A extends Shape = Shape, R extends Shape = Shape> {
  readonly ask: A
  readonly reply: R
}
export type Channels = Readonly<Record<string, Shape | Call>>

/** Named messages of one shape, with a mailbox of their own. */
export interface Channel<M extends Message> {
  /** Hands a message, or one for each, to all of `route.to`. Returns who cannot be reached now. */
  send(route: Route, message: M | ((j: PeerName) => M)): readonly PeerName[]
  /**
   * What all of `route.from` sent under this tag, in the order of names, once all has come or the timeout is over. Early messages were
   * kept; late ones and duplicates are dropped, but for `edges`. A peer that is missing is absent; where the record needs reliable delivery, that
   * is a NeighboursMissingError.
   *
   * @param staleness - by how many rounds the newest message of a missing peer may be older, if it was not given before; 0 when absent
   */
  collect(route: Route, staleness?: number): Promise<PerPeer<M>>
  /**
   * The next message of anybody, in the order in which they come, whatever its tag. A role takes the messages of a channel so, or collects them.
   *
   * @param awaited - who is missing when nothing comes in time
   * @throws NeighboursMissingError that names them
   */
  next(awaited: () => readonly PeerName[], options?: NextOptions): Promise<Arrival<M>>
  /** As `next`, of what has come already, or comes `within` a time. */
  arrived(options?: NextOptions): Promise<Arrival<M> | undefined>
  /** Counts a message as its sender's fault. */
  reject(arrival: Arrival<M>, reason: string): void
}

/** Which message is next, and how long it is waited for. */
export interface NextOptions {
  /** Messages of later rounds stay where they are; any when absent. */
  readonly round?: number
  /** How many timeouts to wait, 1 when absent; 2 for those that wait themselves, since otherwise they would be blamed for a third. */
  readonly timeouts?: number
  /** How long to wait where nothing needs to come; 0 when absent. */
  readonly within?: Milliseconds
}

/** A message, who sent it, and under which tag. */
export interface Arrival<M> {
  readonly from: PeerName
  readonly round: number
  readonly part: number
  readonly message: M
}

/** Requests: the other side's `answers` gives the reply. */
export interface Requests<A extends Message, R extends Message> {
  /** The reply, or `undefined` when none comes within the timeout. */
  request(to: PeerName, ask: A): Promise<R | undefined>
}
export type ChannelOf<D> =
  D extends Call<infer A, infer R> ? Requests<Shaped<A>, Shaped<R>> : D extends Shape ? Channel<Shaped<D>> : never

/** An exchange along an edge that one end has gone on without, now that the other end's message has come. */
export interface Flow<M> {
  readonly from: PeerName
  readonly round: number
  /** What both ends mix with. */
  readonly weight: number
  /** As they were sent: a round without delay would have added `weight (theirs − mine)`. */
  readonly mine: M
  readonly theirs: M
}

/**
 * How a late flow enters the state; 'dropped' where a sum over the peers is not kept. 'added': what is sent leaves the sender for good, and is added to the
 * fields of the same names when it comes late or from elsewhere; nothing of this is agreed on by both ends.
 */
export type LateFlow<S, M, O = unknown> = 'dropped' | 'added' | ((state: S, flow: Flow<M>, options: O) => S)

type Ask<D> = D extends Call ? Shaped<D['ask']> : never
type Reply<D> = D extends Call ? Shaped<D['reply']> : never

/** An optimiser with its state, which the node keeps. */
export interface Stepper {
  /**
   * `base − γ · direction(gradient)`, with γ the rate of the round.
   *
   * @throws DivergedError when the result is not finite
   */
  step(base: Vector, gradient: Vector, of?: StepOf): Vector
}

/** What a step is about, where that is not the whole vector in the round under way. */
export interface StepOf {
  /** Which element of the parameters `base` begins with. Each range that is stepped has a state of its own. */
  readonly offset?: number
  readonly round?: number
}

export type RoleName = 'worker' | 'server'

/** What an algorithm sees of the world, without its channels. */
export interface BaseNode<O, S> extends Stepper {
  readonly self: PeerName
  readonly options: O
  /** How many rounds of training there are, and how long a message is waited for. */
  readonly rounds: number
  readonly timeout: Milliseconds
  /** Where each tensor lies in the parameters, in order; those without elements are left out. */
  readonly tensors: readonly Tensor[]
  /** All peers of a role, in the order of names. */
  peers(role?: RoleName): readonly PeerName[]
  mixing(round: number): Mixing
  /** A route to and from all of `members` but oneself; all workers when absent. */
  route(round: number, members?: readonly PeerName[]): Route
  /** The gradient at x of the mean loss over the next batch. It is computed beside sending and receiving; `await` it in the round that began it. */
  gradient(x: Vector): PromiseLike<Vector>
  /** Another optimiser, with a state of its own under `name`. */
  optimiser(name: string, settings: OptimiserSettings): Stepper
  /**
   * `to`, which has to be new, but with the moving statistics of `from`. They are no parameters of descent: a momentum or a rate of an algorithm's own does
   * not act on them.
   *
   * @param first - which element of the parameters both begin with; 0 when absent
   */
  withStatistics(to: Vector, from: Vector, first?: number): Vector
  /** The learning rate γ of a round. */
  rate(round: number): number
  /** Random numbers that depend on the seed, the peer, the purpose and the round alone. */
  random(purpose: string, round: number): Random
  /** Changes the state at once. The only way to change it where `answers` may change it too. */
  change(change: (state: S) => S): void
  /** What the servers of the run share; of a record that needs a store. */
  readonly store: Objects
}
export type NodeTraits<O> = Pick<BaseNode<O, State>, 'self' | 'options' | 'rounds' | 'tensors' | 'peers'>
export type Node<O, C extends Channels, S> = BaseNode<O, S> & { readonly [N in keyof C]: ChannelOf<C[N]> }

/** What an algorithm cannot do without. It is tested before anything starts, and refused with the reason. */
export interface Needs {
  /** Which sums of the mixing matrix are 1. */
  readonly weights?: 'rows' | 'columns' | 'both' | 'symmetric'
  /** 'fixed': the same neighbours by the same weights in every round. A tree is fixed too. */
  readonly graph?: 'tree' | 'fixed'
  /** What every eigenvalue of a fixed symmetric W must lie above. */
  readonly eigenvalues?: number
  /** Whom a peer sends to: its neighbours alone when absent. */
  readonly reach?: 'everyone'
  /** Whether a missing message is an error; with 'any' nobody ends for that it hears nobody: it goes on alone, a round in two timeouts. */
  readonly delivery?: 'reliable' | 'any'
  /** How many servers; none when absent. */
  readonly servers?: number
  /** Whether servers share a store. */
  readonly store?: true
}

/** What a round without missing messages keeps, beside what the optimiser adds: the mean of `x` over the peers, its mean weighted by `w` (`Σ x` and `Σ w`), or that all have the same. */
export type Keeps = 'mean' | 'weighted mean' | 'equality' | 'nothing'

/** What a peer of a role does. `start`, `model` and `answers` do not wait. */
export interface Role<O, C extends Channels, S extends State> {
  start(origin: { readonly x: Vector; readonly zero: Vector }, node: NodeTraits<O>): S
  /** A round: state in, state out. Where there are `answers`, it changes the state by `node.change` and returns nothing. */
  round?(node: Node<O, C, S>, state: S, k: number): Promise<S | void>
  readonly answers?: {
    readonly [N in keyof C]?: (
      node: Node<O, C, S>,
      state: S,
      ask: Ask<C[N]>,
      from: PeerName
    ) => { readonly state: S; readonly reply: Reply<C[N]> }
  }
  /** What is reported and evaluated; `state.x` when absent, and nothing where there is no such vector. */
  model?(state: S): Vector
  /** What a record keeps that keeps a weighted mean; the state's `x` and `w` when absent. */
  mass?(state: S): { readonly x: Vector; readonly w: number }
}

/** An algorithm with the types of its options, channels and states. */
export interface Definition<Z extends z.ZodObject, C extends Channels, S extends State, T extends State> extends Role<
  z.output<Z>,
  C,
  S
> {
  /** In files and on the command line. */
  readonly name: string
  /** In tables and charts. */
  readonly title: string
  /** Who published it, and where. */
  readonly source: string
  readonly options: Z
  /** Options that follow from the graph, whose default is the word `graph`; optionsOn in needs.ts fills them in. */
  readonly fromGraph?: (topology: Topology) => Partial<z.output<Z>>
  readonly needs: Needs
  readonly keeps: Keeps
  /** 'own': neighbours need not be in the same round, so that there are no checkpoints of one round of all. Follows where peers answer each other, or servers keep nothing. */
  readonly pace?: 'own'
  /** No channel may have the name of something that every node has. */
  readonly channels: C & { readonly [K in keyof BaseNode<unknown, unknown>]?: never }
  /**
   * The channels whose messages are exchanged along the edges of the round's mixing, one by each end: used by both ends or by none, also where
   * one has gone on without the other. Says how a flow that is late enters the state; see {@link addFlow}. Of a channel of requests: by which part of
   * `reply − ask` a reply moves the asker's state, field by field; the answer has moved the other end by as much the other way, so that a late reply is
   * used, too.
   */
  readonly edges?: { readonly [N in keyof C]?: C[N] extends Shape ? LateFlow<S, Shaped<C[N]>, z.output<Z>> : number }
  /** What a server does, where there are servers. */
  readonly server?: Role<z.output<Z>, C, T>
  /** How keyed rows are served, where they are the parameters. Then workers do what packages/algorithms/src/keys/rows-sgd.ts says, and there are no roles. */
  readonly keys?: KeyService
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
  AnyRole & { readonly edges?: Readonly<Record<string, LateFlow<State, Message> | number>>; readonly server?: AnyRole }

/** Known to every copy of this package, so that a user's module may have one of its own. */
const brand = Symbol.for('murmuration.algorithm')

/** Checks the types of an algorithm, and makes it one whatever its types are. */
export function algorithm<Z extends z.ZodObject, C extends Channels, S extends State, T extends State = State>(
  definition: Definition<Z, C, S, T>
): Algorithm {
  return Object.assign({ [brand]: true }, definition) as unknown as Algorithm
}

/** Whether something that a module exports is an algorithm. */
export function isAlgorithm(value: unknown): value is Algorithm {
  return typeof value === 'object' && value !== null && brand in value
}
