import type { PeerName } from '@murmuration/core'
import {
  type Admission,
  type Certificate,
  isRevokedByKey,
  isUsedByHolder,
  precedence,
  type Revocation
} from './certificates.js'
import { type Invitation, isSigned } from './invitation.js'

/** How a certificate was taken: it was known, is new, or is refused, with the reason. */
export type Taken =
  | { readonly kind: 'known' }
  | { readonly kind: 'new' }
  | { readonly kind: 'refused'; readonly reason: string }

/** The run that peers are admitted to. */
export interface RunTerms {
  /** The id of the run key. */
  readonly runKey: string
  /** The names that invited peers may take. */
  readonly places: readonly PeerName[]
  /** SHA-256 of the settings that all peers of the run share. */
  readonly fingerprint: string
}

const known: Taken = { kind: 'known' }
const fresh: Taken = { kind: 'new' }
const refused = (reason: string): Taken => ({ kind: 'refused', reason })

/**
 * The peers that were admitted by invitation, and the void invitations: for each name the admission with the highest
 * precedence, and the latest revocation. A join-semilattice: peers that have taken the same certificates, in any order,
 * have the same state. Its size is bounded by the places.
 */
export class Admissions {
  readonly #run: RunTerms
  readonly #places: ReadonlySet<PeerName>
  readonly #admissions = new Map<PeerName, Admission>()
  readonly #revocations = new Map<PeerName, Revocation>()

  constructor(run: RunTerms) {
    this.#run = run
    this.#places = new Set(run.places)
  }

  /** The id of the peer in a place; `undefined` for an open place and a revoked invitation. */
  idOf(name: PeerName): string | undefined {
    const admission = this.#admissions.get(name)
    return admission === undefined || this.#isVoid(admission.invitation) ? undefined : admission.id
  }

  /**
   * The certificates that make an admission void: a revocation, another peer's admission. None for a forged invitation
   * or one to another run.
   */
  against(admission: Admission): readonly Certificate[] {
    const { invitation, id } = admission
    if (invitation.run !== this.#run.runKey || !isSigned(invitation) || !isUsedByHolder(admission)) return []
    const revocation = this.#revocations.get(invitation.name)
    const held = this.#admissions.get(invitation.name)
    return [revocation ?? [], held === undefined || held.id === id ? [] : held].flat()
  }

  /** All certificates, to be sent and stored. */
  get all(): readonly Certificate[] {
    return [...this.#admissions.values(), ...this.#revocations.values()]
  }

  /**
   * Takes an admission that its own peer presents. It is refused when the invitation has expired, or when another peer
   * is known to have used it.
   *
   * @param now - the time of day in milliseconds
   */
  present(admission: Admission, now: number): Taken {
    const problem = this.refusalOf(admission.invitation, admission.id, now) ?? this.#problemOf(admission)
    return problem === undefined ? this.take(admission) : refused(problem)
  }

  /**
   * Why the peer with this id could not use an invitation now; `undefined` when it could, or has done so.
   *
   * @param now - the time of day in milliseconds
   */
  refusalOf(invitation: Invitation, id: string, now: number): string | undefined {
    const held = this.#admissions.get(invitation.name)
    const problem = this.#invitationProblem(invitation)
    if (problem !== undefined) return problem
    if (held?.invitation.serial === invitation.serial)
      return held.id === id ? undefined : 'another peer has used the invitation; ask for a new one'
    if (invitation.expires <= now) return `the invitation expired at ${new Date(invitation.expires).toISOString()}`
    if (invitation.issued > now + clockTolerance) return 'the invitation was issued in the future; check the clocks'
    return undefined
  }

  /** Takes a certificate that a peer of the run has sent. */
  take(certificate: Certificate): Taken {
    return certificate.kind === 'admission' ? this.#takeAdmission(certificate) : this.#takeRevocation(certificate)
  }

  #takeAdmission(admission: Admission): Taken {
    const { name } = admission.invitation
    const held = this.#admissions.get(name)
    if (held?.signature === admission.signature) return known
    const problem = this.#problemOf(admission)
    if (problem !== undefined) return refused(problem)
    if (held !== undefined && precedence(held, admission) >= 0) return refused('another peer has the place')
    this.#admissions.set(name, admission)
    return fresh
  }

  #takeRevocation(revocation: Revocation): Taken {
    const { run, name, before } = revocation
    const held = this.#revocations.get(name)
    if (held !== undefined && held.before >= before) return known
    if (run !== this.#run.runKey) return refused('the revocation is for another run')
    if (!this.#places.has(name)) return refused(`the topology file has no place for an invited "${name}"`)
    if (!isRevokedByKey(revocation)) return refused('the run key has not signed the revocation')
    this.#revocations.set(name, revocation)
    return fresh
  }

  /** What is wrong with an admission, independent of its sender; `undefined` when nothing is. */
  #problemOf(admission: Admission): string | undefined {
    const problem = this.#invitationProblem(admission.invitation)
    if (problem !== undefined) return problem
    return isUsedByHolder(admission) ? undefined : 'the admission is not signed by the key of its peer id'
  }

  #invitationProblem(invitation: Invitation): string | undefined {
    if (invitation.run !== this.#run.runKey) return 'the invitation is for another run'
    if (invitation.fingerprint !== this.#run.fingerprint)
      return 'the invitation is for a run with other settings or another topology file'
    if (!this.#places.has(invitation.name)) return `the topology file has no place for an invited "${invitation.name}"`
    if (!isSigned(invitation)) return 'the run key has not signed the invitation'
    return this.#isVoid(invitation) ? 'the invitation was revoked' : undefined
  }

  #isVoid({ name, issued }: Invitation): boolean {
    const revocation = this.#revocations.get(name)
    return revocation !== undefined && issued < revocation.before
  }
}

/** How far the clocks of honest machines may differ, in milliseconds. */
const clockTolerance = 5 * 60_000
