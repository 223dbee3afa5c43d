/** A line of a peer's event log. Every line is one JSON object. */
import { z } from 'zod'

/** The folder of logs within a folder of results. */
export const eventsFolder = 'events'

/** The name of the `part`-th file of a peer's log; a log is divided so that old parts can be removed. */
export const eventsFile = (peer: string, part: number): string => `${peer}-${String(part).padStart(6, '0')}.jsonl`

const name = z.string().min(1).max(64)
const time = z.number().min(0)

/** What every line has: milliseconds by a clock that only goes forward, of the process, and the time of day by the machine's clock. */
const stamp = { t: time, at: z.iso.datetime() }

const lines = z.discriminatedUnion('kind', [
  /** The first of each file: whose log it is, and of which run: a hash of the settings that all its peers have in common. */
  z.object({
    ...stamp,
    kind: z.literal('log'),
    peer: name,
    run: z.string().max(128),
    pid: z.number(),
    machine: z.string().max(256),
    part: z.int().min(1)
  }),
  /** The peer computed, or waited for a message. */
  z.object({ ...stamp, kind: z.literal('span'), what: z.string().max(64), start: time }),
  /** A vector was handed over for `to`, or taken that `from` had sent; `id` says which, the same at both ends. */
  z.object({ ...stamp, kind: z.literal('sent'), to: name, id: z.string().max(64), bytes: time }),
  z.object({ ...stamp, kind: z.literal('taken'), from: name, id: z.string().max(64) }),
  z.object({ ...stamp, kind: z.literal('membership'), peer: name, state: z.string(), text: z.string() }),
  z.object({
    ...stamp,
    kind: z.literal('neighbour'),
    peer: name,
    neighbour: name,
    state: z.string(),
    reason: z.string().optional()
  }),
  z.object({ ...stamp, kind: z.literal('outlier'), peer: name, neighbour: name }),
  /** Lines that are missing here, since the disk was full or slow. */
  z.object({ ...stamp, kind: z.literal('dropped'), lines: z.number() }),
  /** The peer ended in good order; `reason` where it was by an error. */
  z.object({ ...stamp, kind: z.literal('end'), reason: z.string().optional() })
])

/** A line that timelines are made of; logs have others as well. */
export type EventLine = z.output<typeof lines>

/** The line of a text; nothing for one that timelines do not need, and for one that is damaged, as the last of a killed process may be. */
export function eventLine(text: string): EventLine | undefined {
  try {
    return lines.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
