/** What lets a peer in whose id no file has: signed by the run key, for one name, once, for some time. */
import { randomBytes } from 'node:crypto'
import { InputError, messageOf, peerName } from '@murmuration/core'
import { z } from 'zod'
import { isSignatureOf, privateKeyOf, publicKeyOf, signText } from '../ed25519.js'
import { type Identity, parsePeerId } from '../identity.js'

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

/** What an invitation says. */
export const invitationSchema = z.object({
  /** The id of the run key. */
  run: id,
  /** Whose place it opens. */
  name,
  /** Drawn, so that each is its own. */
  serial: z.string().regex(/^[\w-]{22}$/),
  /** Milliseconds of the time of day. */
  issued: time,
  expires: time,
  /** SHA-256 of what all peers of the run share; whoever is invited can check what it is told of the run. */
  fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
  /** Of peers of the run, at most 4. */
  members: z.array(id).max(4).readonly(),
  /** Multiaddrs by which the run is found, at most 4. */
  seeds: z.array(z.string().max(256)).min(1).max(4).readonly(),
  /** By the run key. */
  signature: z.string().length(86)
})

/** An invitation. */
export type Invitation = z.output<typeof invitationSchema>

/** What an invitation is made of. */
export type InvitationTerms = Pick<Invitation, 'name' | 'issued' | 'expires' | 'fingerprint' | 'members' | 'seeds'>

/** Signs an invitation by the run key. */
export function invite(
  runKey: Identity,
  { name, issued, expires, fingerprint, members, seeds }: InvitationTerms
): Invitation {
  const serial = randomBytes(16).toString('base64url')
  const said = { run: runKey.id, name, serial, issued, expires, fingerprint, members, seeds }
  return { ...said, signature: signText(textOf(said), privateKeyOf(runKey)) }
}

/** Whether the run key has signed it. */
export function isSigned(invitation: Invitation): boolean {
  return isSignatureOf(textOf(invitation), invitation.signature, publicKeyOf(invitation.run))
}

/** An invitation as one line, to be sent to whoever is invited. */
export function encodeInvitation(invitation: Invitation): string {
  return beginning + Buffer.from(JSON.stringify(invitation)).toString('base64url')
}

/** Reads the line. Throws an InputError for anything else, and for one that its run key has not signed. */
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
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}

function textOf({
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
