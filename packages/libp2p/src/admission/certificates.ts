/** What peers tell each other of admitted and excluded peers. It is signed, so any peer may pass it on. */
import { hashText } from '@murmuration/vectors'
import { peerName, type PeerName } from '@murmuration/core'
import * as z from 'zod'
import { isSignatureOf, publicKeyOf, signText } from '../base/ed25519.js'
import { type Identity, parsePeerId } from '../base/identity.js'
import { type Invitation, invitationSchema } from './invitation.js'

const admissionSchema = z.object({
  kind: z.literal('admission'),
  invitation: invitationSchema,
  /** The id of the peer that uses it. */
  id: z.string().transform((text) => parsePeerId(text)),
  /** Signed by the key of that id. */
  signature: z.string().length(86)
})
const revocationSchema = z.object({
  kind: z.literal('revocation'),
  /** The id of the run key. */
  run: z.string().max(64),
  name: z.string().transform((text) => peerName(text)),
  /** Invitations for the name that were issued before this time of day, in milliseconds, are void, used or not. */
  before: z.int().min(0),
  /** Signed by the run key. */
  signature: z.string().length(86)
})

export const certificateSchema = z.discriminatedUnion('kind', [admissionSchema, revocationSchema])

/** The use of an invitation by a peer. */
export type Admission = z.output<typeof admissionSchema>
/** Makes all earlier invitations of a name void. */
export type Revocation = z.output<typeof revocationSchema>
export type Certificate = Admission | Revocation

/** Uses an invitation, which binds it to this identity. */
export async function admissionOf(invitation: Invitation, identity: Identity): Promise<Admission> {
  const content = { kind: 'admission', invitation, id: identity.id } as const
  return { ...content, signature: await signText(admissionText(content), identity) }
}

/** Revokes all invitations of a name that were issued before the time `before`. */
export async function revoke(runKey: Identity, name: PeerName, before: number): Promise<Revocation> {
  const content = { kind: 'revocation', run: runKey.id, name, before } as const
  return { ...content, signature: await signText(revocationText(content), runKey) }
}

/** Whether the admission is signed by the key of its id. */
export function isUsedByHolder(admission: Admission): boolean {
  return isSignatureOf(admissionText(admission), admission.signature, publicKeyOf(admission.id))
}

/** Whether the run key has signed it. */
export function isRevokedByKey(revocation: Revocation): boolean {
  return isSignatureOf(revocationText(revocation), revocation.signature, publicKeyOf(revocation.run))
}

/**
 * Above 0 when `a` takes precedence over `b` for the same name: the later invitation; of two uses of one, that with the
 * smaller hash, in any order.
 */
export function precedence(a: Admission, b: Admission): number {
  const left = hashText(admissionText(a))
  const right = hashText(admissionText(b))
  return a.invitation.issued - b.invitation.issued || (left < right ? 1 : left > right ? -1 : 0)
}

const admissionText = ({ invitation, id }: Pick<Admission, 'invitation' | 'id'>) =>
  `murmuration admission 1 ${JSON.stringify([invitation.signature, id])}`
const revocationText = ({ run, name, before }: Pick<Revocation, 'run' | 'name' | 'before'>) =>
  `murmuration revocation 1 ${JSON.stringify([run, name, before])}`
