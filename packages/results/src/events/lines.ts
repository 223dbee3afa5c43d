/** A line of a peer's event log. Every line is one JSON object. */
import * as z from 'zod'

/** The folder of logs within a folder of results. */
export const eventsFolder = 'events'

/** The name of the `part`-th file of a peer's log; a log is divided so that old parts can be removed. */
export const eventsFile = (peer: string, part: number): string => `${peer}-${String(part).padStart(6, '0')}.jsonl`

const name = z.string().min(1).max(64)
const time = z.number().min(0)
const incarnation = z.string().min(1).max(64)

/**
 * The fields of every line: milliseconds by the process's monotonic clock, and the time of day by the machine's clock.
 */
const stamp = { t: time, at: z.iso.datetime() }

const lines = z.discriminatedUnion('kind', [
  /**
   * The first of each file: which peer the log belongs to, and which run, as a hash of the settings that all its peers
   * share.
   */
  z.object({
    ...stamp,
    kind: z.literal('log'),
    peer: name,
    run: z.string().max(128),
    pid: z.number(),
    machine: z.string().max(256),
    part: z.int().min(1),
    /**
     * Random for each process of a peer, and those of the other peers with which it was last connected; older logs have
     * none.
     */
    incarnation: incarnation.optional(),
    met: z.record(name, incarnation).optional()
  }),
  /** The peer computed, or waited for a message. */
  z.object({ ...stamp, kind: z.literal('span'), what: z.string().max(64), start: time }),
  /** A vector was handed over for `to`, or taken that `from` had sent; `id` is the same at both ends. */
  z.object({ ...stamp, kind: z.literal('sent'), to: name, id: z.string().max(64), bytes: time }),
  z.object({ ...stamp, kind: z.literal('taken'), from: name, id: z.string().max(64) }),
  z.object({ ...stamp, kind: z.literal('membership'), peer: name, state: z.string(), text: z.string() }),
  z.object({
    ...stamp,
    kind: z.literal('neighbour'),
    peer: name,
    neighbour: name,
    state: z.string(),
    reason: z.string().optional(),
    incarnation: incarnation.optional()
  }),
  /** An epoch of the run has begun at the peer, without the `lost` and with the `joined`. */
  z.object({
    ...stamp,
    kind: z.literal('epoch'),
    peer: name,
    epoch: z.int().min(1),
    lost: z.array(name),
    joined: z.array(name)
  }),
  z.object({ ...stamp, kind: z.literal('outlier'), peer: name, neighbour: name }),
  /** The number of lines that are missing here, because the disk was full or slow. */
  z.object({ ...stamp, kind: z.literal('dropped'), lines: z.number() }),
  /** The peer ended in good order, or with the error `reason`. */
  z.object({ ...stamp, kind: z.literal('end'), reason: z.string().optional() })
])

/** A line from which timelines are made; logs have other lines as well. */
export type EventLine = z.output<typeof lines>

/**
 * Parses a line; undefined for one that timelines do not need, and for a damaged one, such as the last line of a killed
 * process.
 */
export function eventLine(text: string): EventLine | undefined {
  try {
    return lines.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
