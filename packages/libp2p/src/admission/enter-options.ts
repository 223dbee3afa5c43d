import type { Milliseconds } from '@murmuration/core'
import type { Identity } from '../identity.js'
import type { Admission, Certificate, Revocation } from './certificates.js'
import type { Invitation } from './invitation.js'

/** Who comes in, and how. */
export interface EnterOptions {
  readonly invitation: Invitation
  readonly identity: Identity
  /** Multiaddrs by which the run is found: the invitation's, or others. */
  readonly seeds: readonly string[]
  /** How long to look for peers of the run. */
  readonly timeout: Milliseconds
  readonly signal: AbortSignal
  /** Whether these are the files that the invitation is for. */
  readonly isRight: (files: string) => Promise<boolean>
}

/** What whoever was let in needs for its peer. */
export interface Entered {
  readonly own: Admission
  readonly certificates: readonly Certificate[]
  readonly files: string
}

/** Who tells a run something. */
export interface NewsBearer {
  /** The id of the run key. */
  readonly run: string
  /** Peer ids of the run. */
  readonly members: readonly string[]
  readonly identity: Identity
  readonly seeds: readonly string[]
  readonly certificate: Revocation
  readonly signal: AbortSignal
}

/**
 * Presents an invitation to peers of its run until one lets this one in. Rejects with a RefusedError that says why one does not, with a
 * NeighboursMissingError when none is found in time.
 */
export async function enterRun(options: EnterOptions): Promise<Entered> {
  const { enter } = await import('./enter.js')
  return enter(options)
}

/** Tells peers of a run of a revocation. Resolves with how many have heard it; they tell the others. */
export async function tellRun(options: NewsBearer): Promise<number> {
  const { tell } = await import('./enter.js')
  return tell(options)
}
