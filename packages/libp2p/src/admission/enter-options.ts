import type { Milliseconds } from '@murmuration/core'
import type { Identity } from '../base/identity.js'
import type { Admission, Certificate, Revocation } from './certificates.js'
import type { Invitation } from './invitation.js'

/** Options of `enterRun` and `showRun`. */
export interface EnterOptions {
  readonly invitation: Invitation
  readonly identity: Identity
  /** Multiaddrs of seeds or peers of the run: the invitation's, or others. */
  readonly seeds: readonly string[]
  /** How long to look for peers of the run. */
  readonly timeout: Milliseconds
  readonly signal: AbortSignal
  /** Whether the files match the invitation's fingerprint. */
  readonly isRight: (files: string) => Promise<boolean>
  /** Called with the reasons when no seed led to the run, before they are asked again. */
  readonly onProblem?: ((problem: string) => void) | undefined
}

/** What an admitted process needs to create its peer. */
export interface Entered {
  readonly own: Admission
  readonly certificates: readonly Certificate[]
  readonly files: string
}

/** Options of `tellRun`. */
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
