import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Saved } from '@murmuration/algorithms'
import { InputError, messageOf, type PeerName } from '@murmuration/core'
import { mismatchOf, type RunSettings } from '@murmuration/libp2p'
import { lengthOf } from '@murmuration/vectors'
import { readCheckpoint, verifyCheckpoint, writeCheckpoint } from './file.js'
import { roundsToKeep } from './retention.js'

const checkpointName = /^round-(\d{9,15})\.safetensors$/
/** Temporary files of a process that was killed. */
const unfinished = /^\.round-\d+\.safetensors\.\d+\.part$/

/** The checkpoints that a peer has saved. */
export interface SavedFiles {
  /** Of the files that are complete, the newest first. */
  readonly rounds: readonly number[]
  /** Peers that no longer counted when the newest of them was written. */
  readonly gone: readonly PeerName[]
}

/** The checkpoints of one peer: a file for each saved round. */
export class CheckpointFolder {
  readonly path: string
  readonly #peer: PeerName
  readonly #run: RunSettings
  readonly #maxLength: number

  /** @param variables - how many dual variables the peer has: a vector is as long as these or as the parameters */
  constructor(folder: string, peer: PeerName, run: RunSettings, variables = 0) {
    this.#maxLength = Math.max(lengthOf(run.schema), variables)
    this.path = join(folder, peer)
    this.#peer = peer
    this.#run = run
  }

  /** Creates the folder, and removes unfinished files. */
  async prepare(): Promise<void> {
    await mkdir(this.path, { recursive: true })
    for (const name of await readdir(this.path))
      if (unfinished.test(name)) await rm(join(this.path, name), { force: true })
  }

  /**
   * The saved checkpoints. Damaged files are skipped.
   *
   * @param onDamage - called with a sentence about each damaged file
   * @throws InputError when a file belongs to another run, or to another peer
   */
  async whole(onDamage: (text: string) => void): Promise<SavedFiles> {
    const rounds: number[] = []
    let gone: readonly PeerName[] | undefined
    for (const round of await roundsIn(this.path)) {
      const path = this.#fileOf(round)
      try {
        const facts = await verifyCheckpoint(path)
        if (facts.round !== round) throw new InputError(`found round ${facts.round} in the file`)
        this.#checkRun(path, facts)
        rounds.push(round)
        gone ??= facts.gone
      } catch (error) {
        if (error instanceof OtherRunError) throw new InputError(error.message)
        onDamage(`${path} is damaged and ignored: ${messageOf(error)}`)
      }
    }
    return { rounds, gone: gone ?? [] }
  }

  /** The state saved before `round`. Later files are removed, since their run is abandoned. */
  async resume(round: number): Promise<Saved> {
    const saved = await readCheckpoint(this.#fileOf(round), this.#maxLength)
    for (const other of await roundsIn(this.path)) if (other > round) await rm(this.#fileOf(other), { force: true })
    return saved
  }

  /** Throws an OutputError on failure; then all files are as before. */
  async write(round: number, saved: Saved, gone: readonly PeerName[] = []): Promise<string> {
    const path = this.#fileOf(round)
    await mkdir(this.path, { recursive: true }).catch(() => {})
    await writeCheckpoint(path, { ...this.#run, peer: this.#peer, round, gone }, saved)
    return path
  }

  /**
   * Removes files that no peer needs any more.
   *
   * @param others - the newest round that each other peer is known to have saved
   */
  async prune(others: Iterable<number>): Promise<void> {
    const rounds = await roundsIn(this.path)
    const kept = roundsToKeep(rounds, others)
    for (const round of rounds) if (!kept.has(round)) await rm(this.#fileOf(round), { force: true })
  }

  #fileOf(round: number): string {
    return join(this.path, `round-${String(round).padStart(9, '0')}.safetensors`)
  }

  #checkRun(path: string, found: RunSettings & { readonly peer: PeerName }): void {
    if (found.peer !== this.#peer)
      throw new OtherRunError(`${path} is a checkpoint of "${found.peer}", not of "${this.#peer}"`)
    const mismatch = mismatchOf(this.#run, found)
    if (mismatch === undefined) return
    throw new OtherRunError(
      `${path} is a checkpoint of another run: ${mismatch.reason}; "there" is the checkpoint. Use the same settings, or start in another folder without --resume`
    )
  }
}

class OtherRunError extends Error {}

/** The rounds of a folder's files, the newest first; empty if there is no folder. */
export async function roundsIn(path: string): Promise<readonly number[]> {
  const names = await readdir(path).catch(() => [])
  const rounds = names.flatMap((name) => checkpointName.exec(name)?.[1] ?? []).map(Number)
  return rounds.sort((left, right) => right - left)
}
