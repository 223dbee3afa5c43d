/** What a peer reports about itself to its watchers. */
import { parseJson, type PeerName } from '@murmuration/core'
import type { MemberState } from '@murmuration/membership'
import * as z from 'zod'

/** What a peer is doing. */
export const phases = ['starting', 'training', 'averaging', 'serving', 'finished'] as const
export type Phase = (typeof phases)[number]

const memberStates = ['starting', 'healthy', 'degraded', 'partitioned', 'isolated'] as const satisfies MemberState[]

/**
 * The state of a link as the peer sees it. 'relayed': ready, through a relay; 'barred': through a relay over which
 * vectors are not allowed.
 */
export const linkStates = ['connecting', 'ready', 'relayed', 'barred', 'silent', 'refused', 'left'] as const
export type LinkState = (typeof linkStates)[number]

/**
 * Neighbour, state, bytes per second sent to it and received from it, and the round trip in milliseconds; null when
 * unknown.
 */
export type LinkReport = readonly [
  to: PeerName,
  state: LinkState,
  sent: number,
  received: number,
  roundTrip: number | null
]

/**
 * A report. Fractions are of the time since the previous report, 0 … 1; they may overlap, since a peer computes while
 * it sends.
 */
export interface PeerReport {
  readonly phase: Phase
  /** The state of the swarm as the peer sees it; absent where the algorithm has no membership. */
  readonly state?: MemberState | undefined
  /** The round that comes next. */
  readonly round: number
  readonly life: number
  /** Samples that this peer has processed since its start. */
  readonly samples: number
  /** Since the peer began to train. */
  readonly seconds: number
  /** Mean over the rounds since the previous report. */
  readonly loss?: number | undefined
  /** The accuracy of the peer's own model on the test set at the last evaluation, 0 … 1. */
  readonly accuracy?: number | undefined
  /** The consensus distance of all models, as the peer estimates it. */
  readonly consensusDistance?: number | undefined
  /** The duality gap of a recent round, of algorithms that ascend a dual. */
  readonly gap?: number | undefined
  readonly bytesSent: number
  readonly bytesReceived: number
  readonly working: number
  readonly waiting: number
  readonly sending: number
  readonly links: readonly LinkReport[]
}

/** The longest report, in UTF-16 code units of ASCII text. Links that do not fit are left out. */
export const maxReportLength = 4500

const word = 'report '
const count = z.int().min(0)
const amount = z.number().min(0)
const fraction = z.number().min(0).max(1)
const name = z.string().min(1).max(64)

const reportSchema = z.strictObject({
  phase: z.enum(phases),
  state: z.enum(memberStates).optional(),
  round: count,
  life: count,
  samples: count,
  seconds: amount,
  loss: z.number().optional(),
  accuracy: fraction.optional(),
  consensusDistance: amount.optional(),
  gap: z.number().optional(),
  bytesSent: count,
  bytesReceived: count,
  working: fraction,
  waiting: fraction,
  sending: fraction,
  links: z.array(z.tuple([name, z.enum(linkStates), amount, amount, amount.nullable()])).max(256)
})

/** Whether a note is a report. */
export function isReport(note: string): boolean {
  return note.startsWith(word)
}

/** A report as a note. */
export function reportNote(report: PeerReport): string {
  const { links, ...rest } = report
  const texts = links.map((link) => JSON.stringify(link, shortened))
  const head = `${word}${JSON.stringify(rest, shortened).slice(0, -1)},"links":[`
  let room = maxReportLength - head.length - 2
  const fitting = texts.filter((text) => (room -= text.length + 1) >= 0)
  return `${head}${fitting.join(',')}]}`
}

/** Reads a report; returns a message when it is invalid. Links to peers that are not in `peers` are invalid. */
export function readReport(note: string, peers: ReadonlySet<string>): PeerReport | string {
  if (note.length > maxReportLength) return `a report of ${note.length} characters, expected at most ${maxReportLength}`
  const parsed = reportSchema.safeParse(parseJson(note.slice(word.length)))
  if (!parsed.success) return `a malformed report: ${z.prettifyError(parsed.error).split('\n')[0].slice(0, 200)}`
  // The cast is safe for names: a name that is not in the peer list is refused below.
  const report = parsed.data as unknown as PeerReport
  const unknownLink = report.links.find(([to]) => !peers.has(to))
  return unknownLink === undefined ? report : `a report of a link to "${unknownLink[0]}", which is not in the peer list`
}

/**
 * Rounds fractions to four significant digits; integers are counts and stay. NaN and infinity are left out, since JSON
 * has neither.
 */
function shortened(_: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isInteger(value)) return value
  return Number.isFinite(value) ? Number(value.toPrecision(4)) : undefined
}
