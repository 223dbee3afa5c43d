import type { PeerName } from '@murmuration/core'
import * as z from 'zod'
import { maxNames, type PeerRecord, type Vote } from './records.js'

/** The longest note, in UTF-16 code units. Its text is ASCII. */
export const maxNoteLength = 16_384
/** The longest signature: twice what Ed25519 needs in base 64. */
const maxSignature = 200

const name = z.string().min(1).max(64)
const count = z.int().min(0)
const signature = z.string().min(1).max(maxSignature)
const names = z.array(name).max(maxNames)

export const recordSchema = z.strictObject({
  name,
  life: count,
  refutation: count,
  beat: count,
  status: z.enum(['joining', 'here', 'done', 'ended', 'left']),
  from: count,
  isIn: z.boolean(),
  round: count,
  samples: z.number().min(0),
  broken: names,
  silent: names,
  waitsFor: names,
  signature
})

export const voteSchema = z.strictObject({ voter: name, target: name, life: count, refutation: count, signature })

export const noteSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('gossip'),
    number: z.int().min(1),
    again: z.boolean(),
    round: count,
    samples: z.number().min(0),
    records: z.array(recordSchema),
    votes: z.array(voteSchema)
  }),
  z.strictObject({ kind: z.literal('probe'), target: name, nonce: count }),
  z.strictObject({ kind: z.literal('ping'), asker: name, nonce: count }),
  z.strictObject({ kind: z.literal('pong'), asker: name, nonce: count, signature }),
  z.strictObject({ kind: z.literal('vouch'), target: name, nonce: count, signature })
])

/**
 * News for one receiver. Its notes are numbered from 1; a receiver notices a missing one, and asks for everything
 * again.
 */
export interface GossipNote {
  readonly kind: 'gossip'
  readonly number: number
  /** Whether the sender has missed a note of this receiver. */
  readonly again: boolean
  /** The sender's progress. It concerns only the sender, so that it need not be signed. */
  readonly round: number
  readonly samples: number
  readonly records: readonly PeerRecord[]
  readonly votes: readonly Vote[]
}

/** "Can you reach `target`?", "are you there?", "I am", and "it is": a peer asks others about one that it suspects. */
export type ProbeNote =
  | { readonly kind: 'probe'; readonly target: PeerName; readonly nonce: number }
  | { readonly kind: 'ping'; readonly asker: PeerName; readonly nonce: number }
  | { readonly kind: 'pong'; readonly asker: PeerName; readonly nonce: number; readonly signature: string }
  | { readonly kind: 'vouch'; readonly target: PeerName; readonly nonce: number; readonly signature: string }

export type Note = GossipNote | ProbeNote

/** A note for a peer, to be sent at once. */
export interface AddressedNote {
  readonly to: PeerName
  readonly note: string
}
