/**
 * The driver of algorithms with keyed rows: a round is an epoch, in which each worker goes through its samples once.
 */
import {
  type Fabric,
  InputError,
  invariant,
  NeighboursMissingError,
  type StepReport,
  type Task,
  type TaskRows
} from '@murmuration/core'
import { lengthOf } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import { checkNumbers, type TrainingSettings } from '@murmuration/engine'
import { withHeldRows } from './held-rows.js'
import { KeyPeer } from './key-peer.js'
import { Keys } from './keys.js'
import { maxKeys } from './messages.js'
import { plainSgdProblem } from './plain-sgd.js'
import type { KeyOptions, RowsAlgorithm } from './record.js'
import { dealtOut, rowsSgd } from './rows-sgd.js'
import { checkHeld, type SavedRows } from './saved-rows.js'

const nothing: readonly never[] = []

/**
 * Trains one peer, or serves as one. Yields a report after each round, once all have ended it, with the rows that this
 * peer holds. With `finalRounds`, workers pull all rows at the end, report and return them; without, the result is
 * empty.
 *
 * @param from - continues from these rows; all other peers must continue from the same round
 * @throws InputError when the task has no keyed rows, the settings ask for something that such algorithms lack, or the
 *   saved rows of all peers are not all rows, each once
 * @throws NeighboursMissingError when a peer is lost or silent; it names the rows that this peer held
 */
export async function* trainKeys(
  fabric: Fabric<VectorMessage>,
  task: Task,
  settings: TrainingSettings<RowsAlgorithm>,
  from?: SavedRows
): AsyncGenerator<StepReport, Float32Array> {
  const run = new KeyRun(fabric, task, settings, from?.samples)
  await run.start()
  try {
    const close = run.peer.serve()
    if (from !== undefined) await restore(fabric, run, from)
    for (let round = from?.round ?? 0; round < settings.rounds; round++) {
      const loss = await run.epoch(round)
      yield run.report(round, loss)
      run.peer.beginPhase()
    }
    const { finalRounds = 0 } = settings
    // The counts of training alone: gathering is not part of it.
    const keys = run.peer.server.counts
    const parameters = finalRounds === 0 ? new Float32Array(0) : await run.gather()
    close()
    if (finalRounds === 0) return parameters
    const report = run.report(settings.rounds + finalRounds - 1, undefined)
    yield { ...report, phase: 'average', holds: undefined, keys, parameters }
    return parameters
  } catch (error) {
    if (!(error instanceof NeighboursMissingError)) throw error
    const { servers = nothing, workers } = settings
    const rows = { server: run.peer.server, names: [...servers, ...workers], count: rowsOf(task, settings).count }
    throw withHeldRows(error, settings.gone?.() ?? error.missing, rows)
  }
}

class KeyRun {
  readonly #fabric: Fabric<VectorMessage>
  readonly #task: Task
  readonly #settings: TrainingSettings<RowsAlgorithm>
  readonly #rows: TaskRows
  readonly options: KeyOptions
  #peer: KeyPeer | undefined
  /** The samples of this peer, by block. */
  #blocks: readonly (readonly number[])[] = []
  #samples: number
  #waited = 0

  constructor(fabric: Fabric<VectorMessage>, task: Task, settings: TrainingSettings<RowsAlgorithm>, samples = 0) {
    this.#samples = samples
    this.#fabric = fabric
    this.#task = task
    this.#settings = settings
    this.options = settings.algorithm.options.parse(settings.options ?? {})
    this.#rows = rowsOf(task, settings)
  }

  get peer(): KeyPeer {
    invariant(this.#peer !== undefined, 'the run has not started')
    return this.#peer
  }

  async start(): Promise<void> {
    const { seed, workers, servers = nothing, timeout } = this.#settings
    const x = await this.#fabric.work(this.#task.initialise(seed))
    checkNumbers("the task's initialise", x, lengthOf(this.#task.schema))
    const { count, width } = this.#rows
    const { workers: ofPeer = 1 } = this.options
    const holders = this.#settings.algorithm.holders === 'servers' ? servers.length : workers.length
    this.#peer = new KeyPeer(this.#fabric, {
      peers: [...servers, ...workers],
      workers,
      ofPeer,
      timeout,
      count,
      width,
      length: x.length,
      server: (setting, send) =>
        this.#settings.algorithm.open({ ...setting, count, width, holders, workers: ofPeer }, send, x, this.options)
    })
    if (!this.isServer) this.#blocks = this.#divided()
  }

  /**
   * Goes through all samples once; when it returns, all peers have. Returns the mean loss over them; undefined at a
   * server.
   */
  async epoch(round: number): Promise<number | undefined> {
    const before = this.#samples
    let loss = 0
    for (let turn = 0; turn < this.#turns; turn++) {
      if (turn > 0) this.peer.beginPhase()
      if (!this.isServer) loss += await this.#phase(round, turn)
      await this.peer.endPhase(this.#fabric)
    }
    return this.isServer ? undefined : loss / (this.#samples - before)
  }

  report(round: number, loss: number | undefined): StepReport {
    const { keys: holds, rows: parameters } = this.peer.server.held()
    const waited = this.peer.waited - this.#waited
    this.#waited = this.peer.waited
    return {
      round,
      phase: 'train',
      loss,
      rate: this.#settings.rate(round),
      samples: this.#samples,
      waited,
      distances: nothing,
      outliers: nothing,
      missing: nothing,
      unsent: nothing,
      moves: nothing,
      holds,
      keys: this.peer.server.counts,
      parameters
    }
  }

  /** The rows of all keys, at a worker; a server serves until all workers have them. */
  async gather(): Promise<Float32Array> {
    const { count, width } = this.#rows
    const all = new Float32Array(this.isServer ? 0 : count * width)
    if (!this.isServer)
      await this.#keys(this.#fabric).pull(
        Uint32Array.from({ length: count }, (_, key) => key),
        all
      )
    await this.peer.endPhase(this.#fabric)
    return all
  }

  get isServer(): boolean {
    return this.#settings.servers?.includes(this.#fabric.self) === true
  }

  get #turns(): number {
    return this.options.blocking === true ? this.#settings.workers.length : 1
  }

  #keys(fabric: Fabric<VectorMessage>, worker = 0): Keys {
    return new Keys(fabric, this.peer, worker)
  }

  /** Each worker of this peer goes through its part of a block's samples; the first worker runs in this activity. */
  async #phase(round: number, turn: number): Promise<number> {
    const { workers: peers, batchSize } = this.#settings
    const turns = this.#turns
    const { workers = 1, ahead = 0, tick = 1 } = this.options
    const samples = this.#blocks[(peers.indexOf(this.#fabric.self) + turn) % turns]
    const order = this.#fabric.random.stream(`samples ${round} ${turn}`).shuffle(samples)
    const isInBlocks = this.options.blocking === true
    if (isInBlocks && samples.length > 0)
      await this.#keys(this.#fabric).localize(this.#rows.keysOf(Uint32Array.from(samples), round))
    const dealt = dealtOut(order, workers, batchSize)
    let loss = 0
    let ended = 0
    let failure: { readonly error: unknown } | undefined
    const act = async (activity: Fabric<VectorMessage>, worker: number) => {
      const keys = this.#keys(activity, worker)
      const rate = this.#settings.rate(round)
      const node = { fabric: activity, keys, rows: this.#rows, round, rate, tick }
      const workerLoss = await rowsSgd({ ...node, ahead: isInBlocks ? 0 : ahead }, dealt[worker])
      loss += workerLoss
    }
    for (let worker = 1; worker < workers; worker++)
      this.#fabric.spawn(async (activity) => {
        await act(activity, worker).catch((error: unknown) => (failure ??= { error }))
        ended++
        this.peer.wakeAll()
      })
    await act(this.#fabric, 0)
    await untilAnswered(
      this.#fabric,
      this.peer,
      () => ended === workers - 1,
      () => failure !== undefined
    )
    if (failure !== undefined) throw failure.error
    this.#samples += samples.length
    return loss
  }

  #divided(): readonly (readonly number[])[] {
    const blocks: number[][] = Array.from({ length: this.#turns }, () => [])
    for (let sample = 0; sample < this.#task.samples; sample++)
      blocks[this.#rows.blockOf?.(sample, blocks.length) ?? 0].push(sample)
    return blocks
  }
}

function rowsOf({ rows }: Task, { algorithm, options, ...settings }: TrainingSettings<RowsAlgorithm>): TaskRows {
  const { title } = algorithm
  if (rows === undefined)
    throw new InputError(
      `${title} needs a task whose parameters are keyed rows, such as matrix-factorisation, and this one has none`
    )
  if (rows.count > maxKeys) throw new InputError(`${title}: found ${rows.count} keys, expected at most ${maxKeys}`)
  if (options?.blocking === true && rows.blockOf === undefined)
    throw new InputError(
      `${title}: found blocking: true, but the samples of this task do not fall into blocks; remove it`
    )
  const problem = plainSgdProblem(algorithm, settings)
  if (problem !== undefined) throw new InputError(problem)
  return rows
}

/**
 * A phase in which each row moves to the peer that has saved it. Requests of the next phase wait, so nobody reads a row
 * before it is restored.
 */
async function restore(fabric: Fabric<VectorMessage>, { peer, isServer, options }: KeyRun, saved: SavedRows) {
  const count = isServer ? 0 : (options.workers ?? 1)
  const keys = Array.from({ length: count }, (_, worker) => new Keys(fabric, peer, worker))
  await keys[0]?.localize(saved.keys)
  for (const worker of keys) worker.end()
  await untilAnswered(fabric, peer)
  await peer.endPhase(fabric)
  checkHeld(peer.server.held().keys, saved)
  peer.server.restore(saved.keys, saved.rows)
  peer.beginPhase()
}

/** Until this peer has no open operation and its workers have ended, or one has failed. */
async function untilAnswered(
  fabric: Fabric<VectorMessage>,
  peer: KeyPeer,
  haveEnded = () => true,
  hasFailed = () => false
): Promise<void> {
  const isOver = () => hasFailed() || (haveEnded() && peer.server.open === 0)
  await peer.until(fabric, isOver, (silence) => {
    // A worker times out its own waits.
    if (silence > 2 && haveEnded()) throw peer.unanswered(silence)
  })
}
