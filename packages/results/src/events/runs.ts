/** Which logs belong to one run, whatever the clocks of their machines show. */
import type { EventLog } from './read.js'

/**
 * What is known of two logs: their processes have 'met'; there are 'messages' that one sent and the other took; 'none'
 * of this; or they are 'apart', of two runs.
 */
type Relation = 'met' | 'messages' | 'none' | 'apart'

interface IndexedLog {
  readonly log: EventLog
  /** By the clock of its machine. */
  readonly start: number
  readonly end: number
  /** Its place among the logs of its peer with these settings. */
  readonly place: number
  /** When each vector was sent, by receiver and id; an id may occur more than once. */
  readonly sent: ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>
  /** By sender. */
  readonly taken: ReadonlyMap<string, readonly { readonly id: string; readonly t: number }[]>
}

/** So many messages are compared at once: within their time, two clocks hardly drift apart. */
const atOnce = 64

/**
 * How fast clocks may drift apart, and the error of a time in a log, in milliseconds. NTP changes a rate by at most
 * 5e-4.
 */
const drift = 1e-3
const resolution = 2

/**
 * Groups logs by run, the earliest run first. Runs differ in their settings. Processes that have met, by the
 * incarnations that they told each other, are in one run, and those that met others of the same name are not. Where
 * logs do not tell, messages do: in one run, every vector is taken after it was sent, by some difference of the clocks
 * that hardly changes. Logs without messages to each other belong together if their times overlap. A peer that
 * restarted has several logs in a run; they do not take the same vectors.
 */
export function runsOfLogs(logs: readonly EventLog[]): readonly (readonly EventLog[])[] {
  const all = indexed(logs)
  const relations = new Map<string, Relation>()
  const relation = (left: number, right: number): Relation => {
    const key = `${Math.min(left, right)} ${Math.max(left, right)}`
    const known = relations.get(key) ?? relationOf(all[left], all[right])
    relations.set(key, known)
    return known
  }
  const groups = all.map((_, index) => [index])
  for (const [left, right] of pairs(all, relation)) {
    const one = groups[left]
    const other = groups[right]
    if (one === other || one.some((a) => other.some((b) => relation(a, b) === 'apart'))) continue
    one.push(...other)
    for (const index of other) groups[index] = one
  }
  return [...new Set(groups)]
    .map((group) => group.map((index) => all[index]).sort((left, right) => left.start - right.start))
    .sort((left, right) => middleStart(left) - middleStart(right))
    .map((group) => group.map(({ log }) => log))
}

/** The pairs that may be of one run, the surest first. */
function pairs(
  all: readonly IndexedLog[],
  relation: (left: number, right: number) => Relation
): readonly (readonly [left: number, right: number])[] {
  const found = all.flatMap((one, left) =>
    all.slice(left + 1).flatMap((other, offset) => {
      const right = left + 1 + offset
      if (one.log.run !== other.log.run || one.log.peer === other.log.peer) return []
      const known = relation(left, right)
      const overlap = one.start <= other.end && other.start <= one.end
      if (known === 'apart' || (known === 'none' && !overlap)) return []
      const sureness = known === 'met' ? 3 : known === 'none' ? 0 : overlap ? 2 : 1
      // If a clock is wrong by the same time in several runs, the logs of each peer are in the order of the runs.
      return [{ pair: [left, right] as const, sureness, shift: Math.abs(one.place - other.place) }]
    })
  )
  return found.sort((left, right) => right.sureness - left.sureness || left.shift - right.shift).map(({ pair }) => pair)
}

function relationOf(one: IndexedLog, other: IndexedLog): Relation {
  if (one.log.run !== other.log.run) return 'apart'
  if (one.log.peer === other.log.peer) return isAnotherRun(one, other) ? 'apart' : 'none'
  const met = [meeting(one.log, other.log), meeting(other.log, one.log)]
  if (met.includes(true)) return 'met'
  if (met.includes(false)) return 'apart'
  const messages = messagesBetween(one, other)
  if (messages.length === 0) return 'none'
  return isOneTime(messages) ? 'messages' : 'apart'
}

/** Whether a process met this one, and not another of the same name; undefined if it met none, or that is not known. */
function meeting({ met }: EventLog, { peer, incarnation }: EventLog): boolean | undefined {
  const found = met?.get(peer)
  return found === undefined || incarnation === undefined ? undefined : found.has(incarnation)
}

/** Whether two logs of a peer are of two runs: both ran at once on one machine, or took mostly the same vectors. */
function isAnotherRun(one: IndexedLog, other: IndexedLog): boolean {
  if (one.log.machine === other.log.machine && one.start < other.end && other.start < one.end) return true
  const [keys, others] = [one, other].map(
    ({ taken }) => new Set([...taken].flatMap(([from, all]) => all.map(({ id }) => `${from} ${id}`)))
  )
  const smaller = Math.min(keys.size, others.size)
  return smaller > 0 && 2 * [...keys].filter((key) => others.has(key)).length > smaller
}

/** A vector that one log sent and another took. */
interface MatchedVector {
  /** By the first log's clock. */
  readonly at: number
  /** What the clocks show of its time in flight; it includes their difference. */
  readonly flight: number
  readonly isBack: boolean
}

function messagesBetween(one: IndexedLog, other: IndexedLog): readonly MatchedVector[] {
  const there = delivered(one, other).map(({ sent, taken }) => ({ at: sent, flight: taken - sent, isBack: false }))
  const back = delivered(other, one).map(({ sent, taken }) => ({ at: taken, flight: taken - sent, isBack: true }))
  return [...there, ...back].sort((left, right) => left.at - right.at)
}

function delivered(from: IndexedLog, to: IndexedLog): readonly { readonly sent: number; readonly taken: number }[] {
  const sent = from.sent.get(to.log.peer)
  if (sent === undefined) return []
  const counts = new Map<string, number>()
  return (to.taken.get(from.log.peer) ?? []).flatMap(({ id, t }) => {
    const count = counts.get(id) ?? 0
    counts.set(id, count + 1)
    const at = sent.get(id)?.[count]
    return at === undefined ? [] : [{ sent: at, taken: t }]
  })
}

/**
 * Whether one difference of the clocks explains the messages at most times; a machine may have been suspended in
 * between.
 */
function isOneTime(messages: readonly MatchedVector[]): boolean {
  let possible = 0
  let impossible = 0
  for (let k = 0; k < messages.length; k += atOnce) {
    const part = messages.slice(k, k + atOnce)
    const shortest = [false, true].map((isBack) =>
      Math.min(...part.flatMap((each) => (each.isBack === isBack ? each.flight : [])))
    )
    const round = shortest[0] + shortest[1]
    if (round >= -resolution - drift * (part[part.length - 1].at - part[0].at)) possible++
    else impossible++
  }
  return possible >= impossible
}

function indexed(logs: readonly EventLog[]): readonly IndexedLog[] {
  const places = new Map<string, number>()
  return logs
    .map((log) => ({
      log,
      start: Date.parse(log.lines[0].at),
      end: Date.parse(log.lines[log.lines.length - 1].at)
    }))
    .sort((left, right) => left.start - right.start)
    .map((each) => {
      const key = `${each.log.run} ${each.log.peer}`
      const place = places.get(key) ?? 0
      places.set(key, place + 1)
      return { ...each, place, ...vectorsIn(each.log) }
    })
}

function vectorsIn({ lines }: EventLog): Pick<IndexedLog, 'sent' | 'taken'> {
  const sent = new Map<string, Map<string, number[]>>()
  const taken = new Map<string, { readonly id: string; readonly t: number }[]>()
  for (const line of lines) {
    if (line.kind === 'sent') {
      const ids = sent.get(line.to) ?? new Map<string, number[]>()
      sent.set(line.to, ids)
      ids.set(line.id, [...(ids.get(line.id) ?? []), line.t])
    } else if (line.kind === 'taken') {
      const found = taken.get(line.from) ?? []
      taken.set(line.from, found)
      found.push({ id: line.id, t: line.t })
    }
  }
  return { sent, taken }
}

/** When most of the logs began. */
function middleStart(group: readonly IndexedLog[]): number {
  return group[group.length >> 1].start
}
