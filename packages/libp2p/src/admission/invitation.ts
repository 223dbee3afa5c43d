/**
 * An invitation admits a peer that no file lists. The run key signs it; it is for one name, for one use, and expires.
 */
import { InputError, messageOf, peerName } from '@murmuration/core'
import * as z from 'zod'
import { fromString, multiaddr, textOf } from '#platform/libraries/base.js'
import { randomText } from '../base/bytes.js'
import { isSignatureOf, publicKeyOf, signText } from '../base/ed25519.js'
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
export async function invite(
  runKey: Identity,
  { name, issued, expires, fingerprint, members, seeds }: InvitationTerms
): Promise<Invitation> {
  const serial = randomText(16)
  const written = seeds.map((seed) => multiaddr(seed).toString())
  const content = { run: runKey.id, name, serial, issued, expires, fingerprint, members, seeds: written }
  return { ...content, signature: await signText(signedTextOf(content), runKey) }
}

/** Whether the run key has signed it. */
export function isSigned(invitation: Invitation): boolean {
  return isSignatureOf(signedTextOf(invitation), invitation.signature, publicKeyOf(invitation.run))
}

/**
 * An invitation as one line, to be sent to the invited person: with two addresses of one peer about 380 characters, so
 * that a window of 80 columns shows a link with it as a QR code.
 */
export function encodeInvitation(invitation: Invitation): string {
  return beginning + textOf(packed(invitation), 'base64url')
}

/** Reads an invitation. Throws an InputError for any other text, and when its run key has not signed it. */
export function decodeInvitation(text: string): Invitation {
  // Programs for mail break long lines.
  const line = text.replace(/\s/g, '')
  const wrong = (reason: string) =>
    new InputError(
      `the invitation ${reason}; expected the whole line that "murmur invite" prints, from ${beginning} to its end`
    )
  if (line.length > maxInvitation) throw wrong(`has ${line.length} characters, more than ${maxInvitation}`)
  if (!line.startsWith(beginning)) throw wrong(`does not begin with ${beginning}`)
  const result = invitationSchema.safeParse(parse(line.slice(beginning.length)))
  // Bytes that mean the same, and are others, are no invitation either.
  if (!result.success || !isWrittenAs(result.data, line)) throw wrong('is damaged')
  if (!isSigned(result.data)) throw wrong('is not signed by the key of its run, so it was changed')
  return result.data
}

function isWrittenAs(invitation: Invitation, line: string): boolean {
  try {
    return encodeInvitation(invitation) === line
  } catch {
    return false
  }
}

/** The bytes of an invitation: its fields one after the other, each after a byte with its length. */
function packed({
  run,
  name,
  serial,
  issued,
  expires,
  fingerprint,
  signature,
  members,
  seeds
}: Invitation): Uint8Array {
  const fields = [
    idBytes(run),
    fromString(name),
    fromString(serial, 'base64url'),
    timeBytes(issued),
    timeBytes(expires),
    fromString(fingerprint, 'hex'),
    fromString(signature, 'base64url'),
    Uint8Array.of(members.length),
    ...members.map(idBytes),
    ...seeds.map((seed) => seedBytes(seed, members))
  ]
  return Uint8Array.from(fields.flatMap((field) => [field.length, ...field]))
}

/** The fields of a line, which are still to be checked; undefined for what is none. */
function parse(text: string): unknown {
  try {
    const fields = fieldsIn(fromString(text, 'base64url'))
    const [run, name, serial, issued, expires, fingerprint, signature, [count], ...rest] = fields
    const members = rest.slice(0, count).map(idOf)
    return {
      run: idOf(run),
      name: textOf(name),
      serial: textOf(serial, 'base64url'),
      issued: timeOf(issued),
      expires: timeOf(expires),
      fingerprint: textOf(fingerprint, 'hex'),
      signature: textOf(signature, 'base64url'),
      members,
      seeds: rest.slice(count).map((seed) => seedOf(seed, members))
    }
  } catch {
    return undefined
  }
}

function fieldsIn(bytes: Uint8Array): Uint8Array[] {
  const fields: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += 1 + bytes[at]) {
    const field = bytes.subarray(at + 1, at + 1 + bytes[at])
    if (field.length < bytes[at]) throw new Error('the last field is cut off')
    fields.push(field)
  }
  return fields
}

const idBytes = (id: string): Uint8Array => multiaddr(`/p2p/${id}`).bytes
const idOf = (bytes: Uint8Array): string =>
  multiaddr(bytes)
    .toString()
    .replace(/^\/p2p\//, '')

/** 7 bytes hold every safe integer. */
const timeBytes = (time: number): Uint8Array => fromString(time.toString(16).padStart(14, '0'), 'hex')
const timeOf = (bytes: Uint8Array): number => Number.parseInt(textOf(bytes, 'hex'), 16)

/** Before an address that does not end with the id of a member. */
const noMember = 255

/** An address after the number of the member with whose id it ends. */
function seedBytes(seed: string, members: Invitation['members']): Uint8Array {
  const index = members.findIndex((member) => seed.endsWith(`/p2p/${member}`) && !seed.startsWith('/p2p/'))
  const rest = index === -1 ? seed : seed.slice(0, -`/p2p/${members[index]}`.length)
  return Uint8Array.of(index === -1 ? noMember : index, ...multiaddr(rest).bytes)
}

function seedOf([index, ...rest]: Uint8Array, members: readonly string[]): string {
  const address = multiaddr(Uint8Array.from(rest)).toString()
  return index === noMember ? address : `${address}/p2p/${members[index]}`
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
