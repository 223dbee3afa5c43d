/**
 * D-PSGD: decentralised parallel SGD (Lian, Zhang, Zhang, Hsieh, Zhang, Liu: Can Decentralized Algorithms Outperform
 * Centralized Algorithms?, NIPS 2017, arXiv 1705.09056, Algorithm 1).
 *
 * Symbols: `x` one's own parameters x_{k,i}; `k` the round; `W` the mixing matrix; γ the rate.
 *
 * Beyond the paper: momentum and weight decay, whose velocity stays with the peer; the order 'adapt-then-combine';
 * closing rounds of pure averaging in place of the paper's last step, the mean over all peers, which nobody here can take.
 */
import {
  DivergedError,
  type Fabric,
  type Gradient,
  type Milliseconds,
  type StepReport,
  type Task
} from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import { averageOn } from './averaging.js'
import { Batches } from './batches.js'
import { Descent, type DescentOptions } from './descent.js'
import { Exchange, type Mixed } from './exchange.js'
import { outlierText } from './outliers.js'
import { inSlices } from './slices.js'
import { type Fusion, stretchesOf } from './stretches.js'
import { untrainedOf } from './untrained.js'

/** How D-PSGD runs. Every peer is given the same. */
export interface DpsgdOptions extends DescentOptions {
  /** Of the start parameters. */
  readonly seed: number
  /** Samples per peer and step. */
  readonly batchSize: number
  /** Rounds of training. */
  readonly rounds: number
  /** Rounds of pure averaging after them, so that all peers end with the same model. */
  readonly closingRounds: number
  /** The learning rate γ of a round. */
  readonly rate: (round: number) => number
  /**
   * 'combine-then-adapt' is the paper's: `x ← Σ_j W_ij x_j − γ g(x_i)`, the gradient taken before averaging, so that it
   * overlaps with the exchange. 'adapt-then-combine' is `x ← Σ_j W_ij (x_j − γ g(x_j))`: it waits for the gradient before
   * it sends, and on the complete graph it is plain SGD on the joint batch.
   */
  readonly order: 'combine-then-adapt' | 'adapt-then-combine'
  /** How long to wait for a neighbour in a round. */
  readonly patience: Milliseconds
  /**
   * 'fused', one message with the whole vector to each neighbour, when absent. 'per-tensor' sends a message per tensor, all at
   * once, which a queue to a neighbour must have room for.
   */
  readonly fusion?: Fusion
  /**
   * Whether 'combine-then-adapt' exchanges while it computes; true when absent. False exchanges when the gradient is there: the
   * same numbers, later. That is how the published times of D-PSGD grow with latency (docs/decisions/0014-claims.md).
   */
  readonly overlap?: boolean
}

/** D-PSGD on one peer. Yields a report per round and returns the parameters that the peers agree on. */
export async function* dpsgd(
  fabric: Fabric<VectorMessage>,
  task: Task,
  options: DpsgdOptions
): AsyncGenerator<StepReport, Float32Array> {
  const start = await fabric.work(task.initialise(options.seed))
  let x = fabric.allocate(start.length)
  x.set(start)
  const untrained = untrainedOf(task.schema)
  const stretches = stretchesOf(task.schema, options.fusion ?? 'fused')
  const peer: Peer = {
    fabric,
    task,
    exchange: new Exchange(fabric, options.patience, {
      length: x.length,
      rounds: options.rounds + options.closingRounds,
      stretches,
      untrained,
      alike: options.order === 'combine-then-adapt'
    }),
    descent: new Descent(x.length, options, untrained, fabric.allocate(x.length).fill(0)),
    overlap: options.overlap ?? true
  }
  const batches = new Batches(fabric.random.stream('batches'), task.samples, options.batchSize)
  const step = options.order === 'combine-then-adapt' ? combineThenAdapt : adaptThenCombine

  for (let k = 0; k < options.rounds; k++) {
    fabric.signal.throwIfAborted()
    const rate = options.rate(k)
    const { next, loss, average, mixed } = await step(peer, k, x, batches.next(), rate)
    const samples = (k + 1) * options.batchSize
    fabric.free(x)
    x = next
    const parameters = x
    const { waited, disagreement, distances, outliers, missing, unsent } = mixed
    // All by name: to spread another object into the report costs a good part of a small round.
    yield {
      round: k,
      phase: 'train',
      loss,
      rate,
      samples,
      waited,
      disagreement,
      distances,
      outliers,
      missing,
      unsent,
      average,
      parameters
    }
    if (average !== undefined) fabric.free(average)
  }

  const closing = { first: options.rounds, rounds: options.closingRounds, samples: options.rounds * options.batchSize }
  return yield* averageOn(fabric, peer.exchange, x, closing)
}

interface Peer {
  readonly fabric: Fabric<VectorMessage>
  readonly task: Task
  readonly exchange: Exchange
  readonly descent: Descent
  readonly overlap: boolean
}

interface Step {
  readonly next: Float32Array
  readonly loss: number
  readonly mixed: Mixed
  /** What averaging gave, where that is not what comes next; nobody else has it. */
  readonly average?: Float32Array
}

/** Throws the error of a step. Where training diverges after an outlier was mixed in, it names who sent what. */
function blame(exchange: Exchange, round: number, error: unknown): never {
  const { suspects } = exchange
  if (!(error instanceof DivergedError) || suspects.length === 0) throw error
  throw new DivergedError(
    `training diverged in round ${round} after ${suspects.map(outlierText).join(', and ')}; who is named sends wrong numbers, ` +
      'or passes on what another sent it; if all of them train as they should, lower the rate',
    { cause: error }
  )
}

/** `x ← Σ_j W_ij x_j − γ g(x_i)`: the exchange of x and the gradient at x can overlap. */
async function combineThenAdapt(
  peer: Peer,
  k: number,
  x: Float32Array,
  batch: Uint32Array,
  rate: number
): Promise<Step> {
  if (peer.overlap) peer.exchange.send(k, x)
  const gradient = peer.fabric.work(peer.task.gradient(x, batch, k))
  if (!peer.overlap) {
    await gradient
    peer.exchange.send(k, x)
  }
  const mixed = await peer.exchange.collect(k, x)
  const g = await gradient
  const { average } = mixed
  const step = stepFrom(peer, average, x, g, rate, k)
  return { next: step instanceof Promise ? await step : step, loss: g.loss, mixed, average }
}

/** `x ← Σ_j W_ij (x_j − γ g(x_j))`: what is sent is the result of the gradient step. */
async function adaptThenCombine(
  peer: Peer,
  k: number,
  x: Float32Array,
  batch: Uint32Array,
  rate: number
): Promise<Step> {
  const g = await peer.fabric.work(peer.task.gradient(x, batch, k))
  const adapted = await stepFrom(peer, x, x, g, rate, k)
  peer.exchange.send(k, adapted)
  const mixed = await peer.exchange.collect(k, adapted)
  peer.fabric.free(adapted)
  return { next: mixed.average, loss: g.loss, mixed }
}

/** A step of gradient descent, into memory of the fabric. A promise only where the vector is computed in slices. */
function stepFrom(
  { fabric, descent, exchange }: Peer,
  base: Float32Array,
  x: Float32Array,
  gradient: Gradient,
  rate: number,
  k: number
): Float32Array | Promise<Float32Array> {
  const next = fabric.allocate(x.length)
  const slices = inSlices(fabric, x.length, (from, to) => {
    try {
      descent.step(base, x, gradient, rate, k, next, from, to)
    } catch (error) {
      blame(exchange, k, error)
    }
  })
  return slices === undefined ? next : slices.then(() => next)
}
