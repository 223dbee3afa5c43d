import { access, constants, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type AnyAlgorithm, checkpointProblem, type Saved } from '@murmuration/algorithms'
import { InputError, messageOf, type PeerName } from '@murmuration/core'
import type { Peer, RunSettings } from '@murmuration/libp2p'
import type { RunEvent } from '../../base/events.js'
import { CheckpointFolder, roundsIn, type SavedFiles } from './folder.js'
import { type CheckpointInterval, CheckpointRounds } from './interval.js'
import { newestCommon } from './retention.js'

/** What is saved of a peer in training. */
export interface SavedSession {
  readonly round: number
  /** The state before this round; undefined where none is to be saved now. */
  checkpoint(): Saved | undefined
  /** The state before the last round, if it is kept. */
  previousCheckpoint(): Saved | undefined
}

/** Where checkpoints are written, how often, and whether to resume from them. Can be sent to another process. */
export interface CheckpointOptions {
  /** Has a subfolder for each peer. */
  readonly folder: string
  readonly every: CheckpointInterval
  readonly resume: boolean
}

/**
 * Checks, before anything starts, that `peers` can write checkpoints, and, without `resume`, that they have none yet.
 * Throws an InputError otherwise.
 */
export async function checkCheckpoints(
  { folder, resume }: CheckpointOptions,
  algorithm: AnyAlgorithm,
  peers: readonly PeerName[]
): Promise<void> {
  const problem = checkpointProblem(algorithm)
  if (problem !== undefined) throw new InputError(`--checkpoint: ${problem}`)
  for (const peer of resume ? [] : peers) {
    const [round] = await roundsIn(join(folder, peer))
    if (round === undefined) continue
    throw new InputError(
      `--checkpoint ${folder}: found a checkpoint of "${peer}", of round ${round}: continue from it with --resume, or name another folder`
    )
  }
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
  } catch (error) {
    throw new InputError(`--checkpoint ${folder}: cannot write checkpoints there: ${messageOf(error)}`)
  }
}

/** What the checkpoints of a peer need to know of it. */
export interface CheckpointedPeer {
  readonly self: PeerName
  readonly runSettings: RunSettings
  readonly emit: (event: RunEvent) => void
  /** Whether the members of the run are those of its epoch: then a peer that was none resumes from no file. */
  readonly hasEpochs?: boolean
  /** How many dual variables the peer has; none when absent. */
  readonly variables?: number
}

/**
 * The checkpoints of one peer: resumes from the newest that all peers have, and writes new ones. A write that fails
 * does not end training.
 */
export class Checkpoints {
  readonly #options: CheckpointOptions
  readonly #self: PeerName
  readonly #emit: (event: RunEvent) => void
  readonly #folder: CheckpointFolder
  readonly #hasEpochs: boolean
  #rounds: CheckpointRounds | undefined
  #gone: () => readonly PeerName[] = () => []
  #hasFailed = false
  #pruning: Promise<void> = Promise.resolve()

  constructor(options: CheckpointOptions, run: CheckpointedPeer) {
    this.#options = options
    this.#self = run.self
    this.#emit = run.emit
    this.#hasEpochs = run.hasEpochs === true
    this.#folder = new CheckpointFolder(options.folder, run.self, run.runSettings, run.variables)
  }

  /**
   * The peer's saved checkpoints, if it should resume. Throws an InputError if they belong to another run, or the
   * folder cannot be used.
   */
  async open(): Promise<SavedFiles> {
    try {
      await this.#folder.prepare()
    } catch (error) {
      throw new InputError(`--checkpoint ${this.#folder.path}: ${messageOf(error)}`)
    }
    if (!this.#options.resume) return { rounds: [], gone: [] }
    const saved = await this.#folder.whole((text) => this.#note(text))
    if (saved.gone.length > 0)
      this.#note(`does not wait for ${saved.gone.join(', ')}: no longer a member in round ${saved.rounds[0]}`)
    return saved
  }

  /**
   * The peer's state before the newest round that all peers of the file have saved, apart from peers that were gone.
   * Undefined if the peer starts anew; 'lacking' if the others continue without waiting for its rounds, and it has to
   * take a model of theirs. Throws an InputError that lists the rounds of each peer if they have none in common.
   */
  async resume(peer: Peer, { rounds, gone }: SavedFiles, timeout: number): Promise<Saved | 'lacking' | undefined> {
    if (!this.#options.resume) return undefined
    const all = await peer.exchangeCheckpoints(rounds, timeout, gone)
    // Not an error, so that a service needs the same command for its first start and for restarts.
    if ([...all.values(), rounds].every(({ length }) => length === 0)) {
      this.#note(
        `no peer has a checkpoint in its folder (here ${this.#folder.path}); the run starts from the beginning`
      )
      return undefined
    }
    const round = newestCommon(all.values())
    if (round === undefined) {
      const each = [...all].map(([name, saved]) => `${name} has ${saved.length === 0 ? 'none' : saved.join(', ')}`)
      throw new InputError(`--resume: no round was saved by all peers: ${each.join('; ')}`)
    }
    // The others do not wait for the rounds of a peer that was invited or gone, so it may lack the round from which
    // they resume.
    if (!all.has(this.#self) && (this.#hasEpochs || !rounds.includes(round))) {
      this.#note(`has no checkpoint of round ${round}, from which the others continue, and takes a neighbour's model`)
      return 'lacking'
    }
    try {
      const saved = await this.#folder.resume(round)
      this.#note(`continues from round ${round}, as saved in ${this.#folder.path}`)
      return saved
    } catch (error) {
      throw new InputError(`--resume: the checkpoint of round ${round} in ${this.#folder.path}: ${messageOf(error)}`)
    }
  }

  /** Must be called between two rounds of training, and at its end: writes a checkpoint if it is due. */
  async writeIfDue(session: SavedSession, peer: Peer): Promise<void> {
    const now = peer.fabric.now()
    if (this.#rounds?.isDue(session.round, now) !== true || !(await this.write(session))) return
    await this.#pruning
    this.#pruning = this.#prune(peer, session.round)
  }

  /**
   * Sets the first round, and the start time, for the interval, and the round with which training is over.
   *
   * @param gone - returns the peers that no longer count
   */
  begin(round: number, now: number, end: number, gone: () => readonly PeerName[]): void {
    this.#gone = gone
    this.#rounds = new CheckpointRounds(this.#options.every, round, now, end)
  }

  /**
   * Writes a checkpoint now. Returns whether it was written; a note reports the first failure, and the next success.
   */
  async write(session: SavedSession): Promise<boolean> {
    return this.#write(session.round, () => session.checkpoint())
  }

  async #write(round: number, saved: () => Saved | undefined): Promise<boolean> {
    try {
      const state = saved()
      if (state === undefined) return false
      await this.#folder.write(round, state, this.#gone())
    } catch (error) {
      if (!this.#hasFailed)
        this.#note(
          `the checkpoint of round ${round}: ${messageOf(error)}; training continues, and the next checkpoint is tried`
        )
      this.#hasFailed = true
      return false
    }
    if (this.#hasFailed) this.#note(`checkpoints can be written again; that of round ${round} was`)
    this.#hasFailed = false
    return true
  }

  /**
   * As `write`, for the last checkpoint, with a note; and for the round before, which others that stop now have, too.
   */
  async writeLast(session: SavedSession): Promise<void> {
    if (await this.write(session)) this.#note(`stops before round ${session.round}; --resume continues from there`)
    const previous = session.previousCheckpoint()
    if (previous !== undefined && session.round > 1) await this.#write(session.round - 1, () => previous)
  }

  /** Resolves when no more files are being removed. */
  end(): Promise<void> {
    return this.#pruning
  }

  /** Files that are not removed now are removed later. */
  async #prune(peer: Peer, round: number): Promise<void> {
    try {
      await this.#folder.prune(await peer.exchangeSaved(round))
    } catch {
      // The peers contradict each other, or the folder cannot be read: nothing is removed.
    }
  }

  #note(text: string): void {
    this.#emit({ kind: 'note', text: `${this.#self}: ${text}` })
  }
}
