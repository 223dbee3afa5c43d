import { access, constants, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Algorithm, checkpointProblem, type Saved, type Session } from '@murmuration/algorithms'
import { InputError, messageOf, type PeerName } from '@murmuration/core'
import type { Peer, RunSettings } from '@murmuration/libp2p'
import type { RunEvent } from '../../events.js'
import { CheckpointFolder, roundsIn, type SavedFiles } from './folder.js'
import { type CheckpointInterval, CheckpointRounds } from './interval.js'
import { newestCommon } from './retention.js'

/** Where checkpoints go, how often, and whether to go on from them. It can be sent to another process. */
export interface CheckpointOptions {
  /** Holds a folder for each peer. */
  readonly folder: string
  readonly every: CheckpointInterval
  readonly resume: boolean
}

/**
 * Makes sure, before anything starts, that `peers` can write checkpoints, and that there are none of another run. Throws an InputError
 * when not.
 */
export async function checkCheckpoints(
  { folder, resume }: CheckpointOptions,
  algorithm: Algorithm,
  peers: readonly PeerName[]
): Promise<void> {
  const problem = checkpointProblem(algorithm)
  if (problem !== undefined) throw new InputError(`--checkpoint: ${problem}`)
  for (const peer of resume ? [] : peers) {
    const [round] = await roundsIn(join(folder, peer))
    if (round === undefined) continue
    throw new InputError(
      `--checkpoint ${folder}: found a checkpoint of "${peer}", of round ${round}: --resume goes on from it; or name another folder`
    )
  }
  try {
    await mkdir(folder, { recursive: true })
    await access(folder, constants.W_OK)
  } catch (error) {
    throw new InputError(`--checkpoint ${folder}: no checkpoints can be written there: ${messageOf(error)}`)
  }
}

/** The checkpoints of one peer: goes on from the newest that all peers have, and writes others. A write that fails does not end training. */
export class Checkpoints {
  readonly #options: CheckpointOptions
  readonly #self: PeerName
  readonly #emit: (event: RunEvent) => void
  readonly #folder: CheckpointFolder
  #rounds: CheckpointRounds | undefined
  #gone: () => readonly PeerName[] = () => []
  #hasFailed = false
  #pruning: Promise<void> = Promise.resolve()

  constructor(
    options: CheckpointOptions,
    run: { readonly self: PeerName; readonly runSettings: RunSettings; readonly emit: (event: RunEvent) => void }
  ) {
    this.#options = options
    this.#self = run.self
    this.#emit = run.emit
    this.#folder = new CheckpointFolder(options.folder, run.self, run.runSettings)
  }

  /**
   * What this peer has saved, where it is to go on from it. Throws an InputError when they are of another run, or the folder
   * cannot be used.
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
      this.#note(`does not wait for ${saved.gone.join(', ')}, gone for long before round ${saved.rounds[0]}`)
    return saved
  }

  /**
   * What this peer had saved before the newest round that all peers of the file have a checkpoint of, but for those that were gone; undefined where it
   * begins anew. Throws an InputError that says who has which when there is no such round.
   */
  async resume(peer: Peer, { rounds, gone }: SavedFiles, timeout: number): Promise<Saved | undefined> {
    if (!this.#options.resume) return undefined
    const all = await peer.exchangeCheckpoints(rounds, timeout, gone)
    // So the command of a service is the same when it is started first and again.
    if ([...all.values(), rounds].every(({ length }) => length === 0)) {
      this.#note(`no peer has a checkpoint in its folder (here ${this.#folder.path}); the run begins anew`)
      return undefined
    }
    const round = newestCommon(all.values())
    if (round === undefined) {
      const each = [...all].map(([name, theirs]) => `${name} has ${theirs.length === 0 ? 'none' : theirs.join(', ')}`)
      throw new InputError(`--resume: no checkpoint is of a round that all peers have saved: ${each.join('; ')}`)
    }
    // Of who came by invitation, or was gone, no other peer waits to know: where the others go on from, it may have nothing.
    if (!all.has(this.#self) && !rounds.includes(round)) {
      this.#note(`has no checkpoint of round ${round}, from which the others go on, and takes a neighbour's model`)
      return undefined
    }
    try {
      const saved = await this.#folder.resume(round)
      this.#note(`goes on from round ${round}, as saved in ${this.#folder.path}`)
      return saved
    } catch (error) {
      throw new InputError(`--resume: the checkpoint of round ${round} in ${this.#folder.path}: ${messageOf(error)}`)
    }
  }

  /** To be called between two rounds of training: writes a checkpoint where it is time for one. */
  async writeIfDue(session: Session, peer: Peer): Promise<void> {
    const now = peer.fabric.now()
    if (this.#rounds?.isDue(session.round, now) !== true || !(await this.write(session))) return
    await this.#pruning
    this.#pruning = this.#prune(peer, session.round)
  }

  /**
   * From which round on, and since when, rounds are counted for the interval.
   *
   * @param gone - tells who does not count any more
   */
  begin(round: number, now: number, gone: () => readonly PeerName[]): void {
    this.#gone = gone
    this.#rounds = new CheckpointRounds(this.#options.every, round, now)
  }

  /** Writes a checkpoint now. Whether it was written; that it was not is noted when that changes. */
  async write(session: Session): Promise<boolean> {
    const { round } = session
    try {
      await this.#folder.write(round, session.checkpoint(), this.#gone())
    } catch (error) {
      if (!this.#hasFailed)
        this.#note(`the checkpoint of round ${round}: ${messageOf(error)}; training goes on, and the next one is tried`)
      this.#hasFailed = true
      return false
    }
    if (this.#hasFailed) this.#note(`checkpoints can be written again: that of round ${round} is`)
    this.#hasFailed = false
    return true
  }

  /** As `write`, for the last time, and says so. */
  async writeLast(session: Session): Promise<void> {
    if (await this.write(session)) this.#note(`stops before round ${session.round}; --resume goes on from there`)
  }

  /** Resolves when nothing is written or removed any more. */
  end(): Promise<void> {
    return this.#pruning
  }

  /** Files that are not removed now are removed later. */
  async #prune(peer: Peer, round: number): Promise<void> {
    try {
      await this.#folder.prune(await peer.exchangeSaved(round))
    } catch {
      // A neighbour that contradicts others, or a folder that cannot be read: nothing is removed.
    }
  }

  #note(text: string): void {
    this.#emit({ kind: 'note', text: `${this.#self}: ${text}` })
  }
}
