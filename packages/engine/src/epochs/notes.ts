/** The notes by which peers agree on an epoch: JSON after a letter. {@link readNote} checks what arrives. */
import { parseJson, maxNoteBytes, type PeerName } from '@murmuration/core'
import * as z from 'zod'
import type { SavedTree } from '../driver/save.js'
import type { Ballot, Epoch, MemberStanding } from './epoch.js'

/** A value that was accepted, and under which ballot. */
export interface Accepted {
  readonly ballot: Ballot
  readonly value: Epoch
}

/** A decision: the signed accepts of a quorum of the last epoch's members. */
export interface Decision extends Accepted {
  readonly accepts: readonly (readonly [PeerName, string])[]
}

/** What a member has done: its training, where all take the mean of their models once all have; or all of the run. */
export type FinishedPart = 'training' | 'run'

/** `epoch` is the number of the epoch that is agreed on; in `news`, `join` and `done` the sender's own. */
export type EpochNote =
  | { readonly kind: 'prepare'; readonly epoch: number; readonly ballot: Ballot }
  | {
      readonly kind: 'promise'
      readonly epoch: number
      readonly ballot: Ballot
      readonly standing: MemberStanding
      readonly accepted?: Accepted | undefined
    }
  | { readonly kind: 'accept'; readonly epoch: number; readonly ballot: Ballot; readonly value: Epoch }
  | { readonly kind: 'accepted'; readonly epoch: number; readonly ballot: Ballot; readonly signature: string }
  /** Decisions one after the other. */
  | { readonly kind: 'decided'; readonly decisions: readonly Decision[] }
  /** The sender's epoch, for who knows none before it. */
  | { readonly kind: 'latest'; readonly value: Epoch }
  | { readonly kind: 'news'; readonly epoch: number }
  | { readonly kind: 'join'; readonly epoch: number; readonly life: number; readonly samples: number }
  | { readonly kind: 'done'; readonly epoch: number; readonly part: FinishedPart }

/** The most members of an epoch. */
const maxMembers = 512
const maxDecisions = 64
/** Of what is carried over: records in records, parts of a record, letters of a text and of a vector's name. */
const maxDepth = 8
const maxParts = 64
const maxLetters = 64
const maxPath = 256

const count = z.int().min(0)
const name = z.string().min(1).max(64)
const epoch = z.int().min(-1)
const ballot = z.tuple([count, z.string().max(64)])
const names = z.array(name).max(maxMembers)

/** As `pack` writes it: numbers, infinite ones as texts, `[name]` for a vector, records. */
const tree = z.custom<SavedTree>((value) => isTree(value, 0))
const place = z.strictObject({ name, life: count, samples: count })
const value = z.strictObject({
  number: count,
  members: z.array(place).min(1).max(maxMembers),
  servers: names,
  round: count,
  givers: names,
  broken: z.array(z.tuple([name, name])).max(maxMembers),
  carried: tree.optional()
})
const standing = z.strictObject({
  opened: epoch,
  round: count,
  hasModel: z.boolean(),
  samples: count,
  carried: tree.optional()
})
const accepted = z.strictObject({ ballot, value })
const signature = z.string().max(200)
const accepts = z.array(z.tuple([name, signature])).max(maxMembers)

const note = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('prepare'), epoch, ballot }),
  z.strictObject({ kind: z.literal('promise'), epoch, ballot, standing, accepted: accepted.optional() }),
  z.strictObject({ kind: z.literal('accept'), epoch, ballot, value }),
  z.strictObject({ kind: z.literal('accepted'), epoch, ballot, signature }),
  z.strictObject({ kind: z.literal('decided'), decisions: z.array(accepted.extend({ accepts })).max(maxDecisions) }),
  z.strictObject({ kind: z.literal('latest'), value }),
  z.strictObject({ kind: z.literal('news'), epoch }),
  z.strictObject({ kind: z.literal('join'), epoch, life: count, samples: count }),
  z.strictObject({ kind: z.literal('done'), epoch, part: z.enum(['training', 'run']) })
])

/** Room in a decision for what the members carry over, and for numbers that grow. */
const spareBytes = 8192
const signatureBytes = 88

/** Whether a decision among these peers fits a note. */
export function fitsNote(peers: readonly PeerName[]): boolean {
  if (peers.length > maxMembers) return false
  const members = peers.map((each) => ({ name: each, life: 999, samples: 999_999 }))
  const last = { number: 99_999, members, servers: [], round: 9_999_999, givers: peers, broken: [] }
  const accepts = peers.slice(0, peers.length / 2 + 1).map((each) => [each, 'x'.repeat(signatureBytes)] as const)
  const decision: Decision = { ballot: [999, peers[0] ?? ''], value: last, accepts }
  const { byteLength } = new TextEncoder().encode(noteText({ kind: 'decided', decisions: [decision] }))
  return byteLength + spareBytes <= maxNoteBytes
}

/** Tells these notes from those of members, sketches and others. */
const letter = 'E'

export function isEpochNote(text: string): boolean {
  return text.startsWith(`${letter}{`)
}

export function noteText(given: EpochNote): string {
  return letter + JSON.stringify(given)
}

/**
 * The content of a note, or what is wrong with it, in words.
 *
 * @param peers - all peers and servers of the run
 */
export function readNote(text: string, peers: ReadonlySet<string>): EpochNote | string {
  const parsed = note.safeParse(parseJson(text.slice(1)))
  if (!parsed.success)
    return `a malformed note about an epoch: ${z.prettifyError(parsed.error).split('\n')[0].slice(0, 200)}`
  const unknown = namesIn(parsed.data).find((each) => !peers.has(each))
  if (unknown !== undefined) return `a note about "${unknown}", which is not in the peer list`
  return parsed.data as EpochNote
}

function namesIn(given: z.output<typeof note>): string[] {
  const namesOf = ({ members, servers, givers, broken }: z.output<typeof value>) => [
    ...members.map((member) => member.name),
    ...servers,
    ...givers,
    ...broken.flat()
  ]
  switch (given.kind) {
    case 'promise':
      return given.accepted === undefined ? [] : namesOf(given.accepted.value)
    case 'accept':
    case 'latest':
      return namesOf(given.value)
    case 'decided':
      return given.decisions.flatMap((decision) => [...namesOf(decision.value), ...decision.accepts.map(([by]) => by)])
    default:
      return []
  }
}

function isTree(given: unknown, depth: number): boolean {
  if (typeof given === 'number') return Number.isFinite(given)
  if (typeof given === 'string') return given.length <= maxLetters
  if (typeof given !== 'object' || given === null || depth > maxDepth) return false
  if (Array.isArray(given)) return given.length === 1 && typeof given[0] === 'string' && given[0].length <= maxPath
  const parts = Object.values(given)
  return parts.length <= maxParts && parts.every((part) => isTree(part, depth + 1))
}
