import { InputError, maxNoteBytes, messageOf, peerName } from '@murmuration/core'
import * as z from 'zod'
import { fromString, textOf } from '#platform/libraries/base.js'
import { keyBytes } from './channel/secure.js'
import { protocolVersion } from '../base/constants.js'
import { foreignText, maxForeignText } from '../base/foreign-text.js'
import type { Versions } from '../base/versions.js'
import { maxSettingName, maxSettingValue } from '../base/settings.js'
import { fromBase64 } from '../base/bytes.js'

const count = z.number().int().min(0).max(0xffffffff)
/** Text from another peer, made safe to print and log. */
const foreign = (max: number) =>
  z
    .string()
    .max(max)
    .transform((value) => foreignText(value, max))
const text = foreign(maxForeignText)
const name = z.string().transform((value, context) => {
  try {
    return peerName(value)
  } catch (error) {
    context.addIssue(messageOf(error))
    return z.NEVER
  }
})
/** The longest padding of a ping. */
export const maxPadding = 4096
const note = z.string().refine((text) => fromString(text).byteLength <= maxNoteBytes, `more than ${maxNoteBytes} bytes`)
const padding = z.string().max(maxPadding)
const tensor = z.object({
  name: text,
  shape: z.array(count).max(32).readonly(),
  kind: z.enum(['frozen', 'statistic']).optional(),
  momentum: z.number().min(0).max(1).optional()
})
/** Reports only the first invalid entry: each report takes memory, and a message has room for many entries. */
const firstWrong =
  (entry: z.ZodType) =>
  (all: object, context: z.RefinementCtx): void => {
    for (const [key, value] of Object.entries(all)) {
      const { error } = entry.safeParse(value)
      if (error === undefined) continue
      const [{ path, message }] = error.issues
      return context.addIssue({ code: 'custom', path: [key, ...path], message })
    }
  }
const schema = z.array(z.unknown()).readonly().superRefine(firstWrong(tensor)).pipe(z.array(tensor).readonly())
/** Whether the sender allows vectors through relays. */
const relayVectors = z.literal(true).optional()
const codecs = z.array(foreign(64)).max(16).readonly()
const settings = z
  .record(z.string(), z.unknown())
  .superRefine(firstWrong(foreign(maxSettingValue)))
  .pipe(z.record(foreign(maxSettingName), foreign(maxSettingValue)).readonly())
/** A hash of each tensor has 16 characters. */
const start = foreign(65_536)
const runSettings = z.object({ settings, start, schema, longest: count.optional() })
/** The name of a key and the key itself. Error messages do not contain them. */
const keyId = z.string().regex(/^[0-9a-f]{32}$/)
const key = z
  .base64()
  .length(4 * Math.ceil(keyBytes / 3))
  .refine((text) => fromBase64(text, 'base64pad')?.length === keyBytes)
const code = z.enum(['unknown-peer', 'identity', 'version', 'settings', 'schema', 'start', 'protocol'])
/** The most addresses in a hello, and their longest text. */
export const maxListens = 4
export const maxListened = 128
/** The version of the sender's software. */
const software = z.string().regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}(-[\w.-]{1,32})?$/)

const controlMessage = z.discriminatedUnion('kind', [
  /** The sender's first message. `first` is the sequence number of the first vector that may follow. */
  z.object({
    kind: z.literal('hello'),
    version: z.literal(protocolVersion),
    software: software.optional(),
    name,
    runSettings,
    /** Random for each created peer: another one means that the sender has lost its state. */
    incarnation: foreign(64).pipe(z.string().min(1)),
    first: count.min(1),
    /** The codecs that the sender wants to write in, besides raw float32. */
    codecs,
    /** Some addresses at which the sender's process listens. */
    listens: z.array(foreign(maxListened)).max(maxListens).readonly().optional(),
    /** Whether the receiver is not a neighbour of the sender: the link exists only while something is sent. */
    inPassing: z.literal(true).optional(),
    relayVectors
  }),
  /** The receiver accepts. `window` is how many unacknowledged whole vectors it allows. */
  z.object({
    kind: z.literal('welcome'),
    name,
    received: count,
    acknowledged: count,
    window: z.number().int().min(1).max(1024),
    /** Those of the sender's codecs that it may use. */
    codecs,
    relayVectors
  }),
  /** The receiver refuses. The sender finds the difference by the receiver's run settings, or by its versions. */
  z.object({
    kind: z.literal('refused'),
    code: code.catch('protocol'),
    reason: text,
    version: count.optional(),
    software: software.optional().catch(undefined),
    runSettings: runSettings.optional()
  }),
  /** The receiver has all vectors up to `sequence`, and room for the next. */
  z.object({ kind: z.literal('ack'), sequence: count }),
  /** The sender is alive. `at` is the time on its clock in milliseconds, and `padding` makes the message longer. */
  z.object({ kind: z.literal('ping'), at: z.number(), padding }),
  /** The receiver's immediate answer, with the fields of the ping. */
  z.object({ kind: z.literal('pong'), at: z.number(), padding }),
  /** The sender offers a data channel: the receiver may connect to this port of the sender's machine with this key. */
  z.object({ kind: z.literal('channel'), port: z.number().int().min(1).max(65_535), id: keyId, key }),
  /**
   * The sender will write the vectors after this one to the data channel, once the receiver confirms that those up to
   * it have arrived.
   */
  z.object({ kind: z.literal('move'), sequence: count }),
  /** The receiver confirms it. */
  z.object({ kind: z.literal('moved'), sequence: count }),
  /** A note of `Fabric.tell`. */
  z.object({ kind: z.literal('note'), note }),
  /** The sender stops for good. */
  z.object({ kind: z.literal('leave'), reason: text })
])

/** What stays in a hello of any wire. */
const anyHello = z.object({
  kind: z.literal('hello'),
  version: count,
  software: software.optional().catch(undefined)
})

/**
 * A message on the control stream. The sender of vectors sends hello, ping, channel, move, note and leave; their
 * receiver sends the others.
 */
export type ControlMessage = z.infer<typeof controlMessage>

/** The first message of a control stream. */
export type Hello = Extract<ControlMessage, { kind: 'hello' }>

/** The acceptance of a hello. */
export type Welcome = Extract<ControlMessage, { kind: 'welcome' }>

/** The refusal of a hello. */
export type RefusedMessage = Extract<ControlMessage, { kind: 'refused' }>

/** The neighbour has broken the protocol. */
export class ProtocolFault extends Error {
  override readonly name = 'ProtocolFault'
  readonly fault: 'protocol' | 'flood'

  constructor(message: string, fault: 'protocol' | 'flood' = 'protocol') {
    super(message)
    this.fault = fault
  }
}

/** The neighbour's hello is of another wire. */
export class OtherWire extends ProtocolFault {
  readonly versions: Versions

  constructor(versions: Versions) {
    super(`its hello is of the wire ${versions.wire}, expected ${protocolVersion}`)
    this.versions = versions
  }
}

/** The JSON of a message, as bytes. */
export function encodeControl(message: ControlMessage): Uint8Array {
  return fromString(JSON.stringify(message), 'utf8')
}

/** The most bytes of a hello, or of a refusal, without the run settings. */
export const helloBytes = 8192

/** The JSON of run settings, as bytes. */
export function encodeRunSettings(value: z.infer<typeof runSettings>): Uint8Array {
  return fromString(JSON.stringify(value), 'utf8')
}

/** Reads and checks this peer's own run settings. Throws an {@link InputError}. */
export function decodeRunSettings(bytes: Uint8Array): z.infer<typeof runSettings> {
  const result = runSettings.safeParse(parse(bytes))
  if (result.success) return result.data
  throw new InputError(`invalid run settings at ${whereOf(result.error)}`)
}

/**
 * Reads and checks a message. Throws a {@link ProtocolFault} for an invalid one, and {@link OtherWire} for a hello of
 * another wire.
 */
export function decodeControl(bytes: Uint8Array): ControlMessage {
  const message = parse(bytes)
  const hello = anyHello.safeParse(message).data
  if (hello !== undefined && hello.version !== protocolVersion)
    throw new OtherWire({ wire: hello.version, software: hello.software })
  const result = controlMessage.safeParse(message)
  if (result.success) return result.data
  throw new ProtocolFault(`invalid control message at ${whereOf(result.error)}`)
}

function whereOf({ issues: [issue, ...others] }: z.ZodError): string {
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  return `"${foreignText(String(issue?.path.join('.')), 256)}": ${foreignText(String(issue?.message), 256)}${more}`
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(bytes, 'utf8'))
  } catch {
    throw new ProtocolFault('a control message is not JSON')
  }
}
