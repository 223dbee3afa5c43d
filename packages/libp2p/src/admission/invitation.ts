/**
 * An invitation admits a peer that no file lists. The run key signs it; it is for one name, for one use, and expires.
 */
import { InputError, messageOf, peerName } from '@murmuration/core'
import * as z from 'zod'
import { fromString, textOf } from '#platform/libraries/base.js'
import { randomText } from '../base/bytes.js'
import { isSignatureOf, privateKeyOf, publicKeyOf, signText } from '../base/ed25519.js'
import { type Identity, parsePeerId } from '../base/identity.js'

/** The longest text of an invitation that is read. */
export const maxInvitation = 4096

const beginning = 'murmur1.'
const id = z.string().transform((text, context) => checked(context, () => parsePeerId(text)))
const name = z.string().transform((text, context) => checked(context, () => peerName(text)))
const time = z.int().min(0)

function checked<Value>(context: { addIssue(message: string): void }, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    context.addIssue(messageOf(error))
    return z.NEVER
  }
}

/** The fields of an invitation. */
export const invitationSchema = z.object({
  /** The id of the run key. */
  run: id,
  /** The name of the place that it gives. */
  name,
  /** Random, so that no two invitations are equal. */
  serial: z.string().regex(/^[\w-]{22}$/),
  /** Milliseconds of the time of day. */
  issued: time,
  expires: time,
  /** SHA-256 of the settings that all peers of the run share: the invited peer checks the received files by it. */
  fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
  /** The ids of peers of the run, at most 4. */
  members: z.array(id).max(4).readonly(),
  /** Multiaddrs of seeds or peers of the run, at most 4. */
  seeds: z.array(z.string().max(256)).min(1).max(4).readonly(),
  /** Signed by the run key. */
  signature: z.string().length(86)
})

/** An invitation. */
export type Invitation = z.output<typeof invitationSchema>

/** What the issuer of an invitation chooses. */
export type InvitationTerms = Pick<Invitation, 'name' | 'issued' | 'expires' | 'fingerprint' | 'members' | 'seeds'>

/** Creates an invitation, signed by the run key. */
export function invite(
  runKey: Identity,
  { name, issued, expires, fingerprint, members, seeds }: InvitationTerms
): Invitation {
  const serial = randomText(16)
  const content = { run: runKey.id, name, serial, issued, expires, fingerprint, members, seeds }
  return { ...content, signature: signText(signedTextOf(content), privateKeyOf(runKey)) }
}

/** Whether the run key has signed it. */
export function isSigned(invitation: Invitation): boolean {
  return isSignatureOf(signedTextOf(invitation), invitation.signature, publicKeyOf(invitation.run))
}

/** An invitation as one line, to be sent to the invited person. */
export function encodeInvitation(invitation: Invitation): string {
  return beginning + textOf(fromString(JSON.stringify(invitation)), 'base64url')
}

/** Reads an invitation. Throws an InputError for any other text, and when its run key has not signed it. */
export function decodeInvitation(text: string): Invitation {
  const line = text.trim()
  const wrong = (reason: string) =>
    new InputError(
      `the invitation ${reason}; expected the whole line that "murmur invite" prints, from ${beginning} to its end`
    )
  if (line.length > maxInvitation) throw wrong(`has ${line.length} characters, more than ${maxInvitation}`)
  if (!line.startsWith(beginning)) throw wrong(`does not begin with ${beginning}`)
  const result = invitationSchema.safeParse(parse(line.slice(beginning.length)))
  if (!result.success) throw wrong('is damaged')
  if (!isSigned(result.data)) throw wrong('is not signed by the key of its run, so it was changed')
  return result.data
}

function parse(text: string): unknown {
  try {
    // Programs for mail break long lines.
    return JSON.parse(textOf(fromString(text.replace(/\s/g, ''), 'base64url')))
  } catch {
    return undefined
  }
}

function signedTextOf({
  run,
  name,
  serial,
  issued,
  expires,
  fingerprint,
  members,
  seeds
}: Omit<Invitation, 'signature'>): string {
  return `murmuration invitation 1 ${JSON.stringify([run, name, serial, issued, expires, fingerprint, members, seeds])}`
}
