import type { PeerName } from './names.js'
import { shownMessage } from './printable.js'

/** This peer was told to stop. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError'
  constructor(message = 'the peer was told to stop') {
    super(message)
  }
}

/** The epoch of the run is over: what waits in it ends, and the peer continues in the next one. */
export class EpochOverError extends Error {
  override readonly name = 'EpochOverError'
  constructor() {
    super('the epoch is over')
  }
}

/** Neighbours did not come or are gone, so that the peer would train alone. */
export class NeighboursMissingError extends Error {
  override readonly name = 'NeighboursMissingError'
  constructor(
    readonly missing: readonly PeerName[],
    message: string
  ) {
    super(message)
  }
}

/** A neighbour refuses this peer, or this peer refuses a neighbour, and retrying would not change that. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  constructor(
    readonly peer: PeerName,
    readonly code: RefusalCode,
    message: string
  ) {
    super(message)
  }
}

/** Why a peer refuses another; 'identity': several processes have the key of one peer. */
export type RefusalCode = 'unknown-peer' | 'identity' | 'version' | 'settings' | 'schema' | 'start' | 'protocol'

/**
 * A loss rose without bound; parameters, a loss or a gradient became NaN or infinite; or the peers' models lie further
 * apart than their algorithm allows.
 */
export class DivergedError extends Error {
  override readonly name = 'DivergedError'
}

/** Something impossible happened: a bug in Murmuration. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/** Throws an {@link InvariantError} unless `condition` holds. The message is a sentence that says what was found. */
export function invariant(condition: boolean, message: string | (() => string)): asserts condition {
  if (!condition) throw new InvariantError(typeof message === 'string' ? message : message())
}

/**
 * What a user gave is wrong: a file, an option, data. The message says where, what was found, and what was expected.
 * What it quotes of a file is shown by {@link shownMessage}.
 */
export class InputError extends Error {
  override readonly name = 'InputError'
  constructor(message: string) {
    super(shownMessage(message))
  }
}

/**
 * Something cannot be written: a disk is full, or the user may not write the file. The message says which file, and
 * what is left.
 */
export class OutputError extends Error {
  override readonly name = 'OutputError'
}

/**
 * The message of anything that was thrown.
 *
 * @example
 * ```js
 * messageOf(new InputError('batch: found 0')) // → 'batch: found 0'
 * messageOf('no error') // → 'no error'
 * ```
 */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
