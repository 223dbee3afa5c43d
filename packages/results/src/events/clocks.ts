/** Clocks of different machines, aligned by the messages that they exchanged. */
import type { EventLog } from './read.js'
import type { LoggedMessage } from './messages.js'

/** The common time of each log. */
export interface AlignedClocks {
  /**
   * What to add to a log's `t` to get milliseconds of the common time: the time of day that most logs show, except for
   * corrections.
   */
  readonly offsets: readonly number[]
  /** What was done, for people. */
  readonly text: string
}

/** Of the time of day in a line, in milliseconds. */
const resolution = 1

/** By how much one clock is behind another, and the greatest possible error of that. */
interface Difference {
  readonly of: number
  readonly than: number
  readonly behind: number
  readonly error: number
}

/** By how much a log's clock is behind that of the reference. */
type Correction = Pick<Difference, 'behind' | 'error'>

/**
 * A message is taken after it was sent. If clock b shows d more than clock a, `taken − sent` is at least d for messages
 * from a to b, and at least −d for messages from b to a. So d lies between the negated minimum of the latter and the
 * minimum of the former. The middle is used, as in RFC 5905, section 8; its error is at most half of the interval. A
 * correction that is smaller than its error plus the resolution of times of day is not applied. Logs with messages in
 * one direction only keep the time of day of their machines.
 */
export function alignedClocks(logs: readonly EventLog[], messages: readonly LoggedMessage[]): AlignedClocks {
  const ofDay = logs.map(timeOfDay)
  const differences = differencesOf(ofDay, messages)
  const reference = mostAgreed(correctionsFrom(0, differences))
  const corrections = correctionsFrom(reference, differences)
  for (const [index, { peer, machine }] of logs.entries()) {
    // A process without messages has the clock of another one of its peer.
    const same = logs.findIndex((log, other) => log.peer === peer && log.machine === machine && corrections.has(other))
    const found = corrections.get(same)
    if (found !== undefined && !corrections.has(index)) corrections.set(index, found)
  }
  const applied = logs.map((_, index) => {
    const { behind, error } = corrections.get(index) ?? { behind: 0, error: Infinity }
    return Math.abs(behind) <= error + resolution ? 0 : behind
  })
  const offsets = ofDay.map((offset, index) => offset + applied[index])
  return { offsets, text: textOf(logs, applied, corrections, reference) }
}

/** As in Dijkstra's algorithm, the smallest error first: errors add up along a path of messages. */
function correctionsFrom(reference: number, differences: readonly Difference[]): Map<number, Correction> {
  const corrections = new Map<number, Correction>([[reference, { behind: 0, error: 0 }]])
  for (;;) {
    const next = differences
      .filter(({ of, than }) => corrections.has(than) && !corrections.has(of))
      .map(({ of, than, behind, error }) => {
        const base = corrections.get(than) ?? { behind: 0, error: 0 }
        return { of, behind: base.behind + behind, error: base.error + error }
      })
      .sort((left, right) => left.error - right.error)[0]
    if (next === undefined) return corrections
    corrections.set(next.of, next)
  }
}

/** The log whose clock agrees with most others: a wrong clock corrects no right ones. */
function mostAgreed(corrections: ReadonlyMap<number, Correction>): number {
  const all = [...corrections]
  const agreeing = ([, { behind, error }]: (typeof all)[number]) =>
    all.filter(([, other]) => Math.abs(behind - other.behind) <= error + other.error + resolution).length
  const [first, ...rest] = all.map((each) => ({ index: each[0], count: agreeing(each) }))
  return rest.reduce((best, each) => (each.count > best.count ? each : best), first).index
}

/**
 * The time of day at which a log's `t` was 0. The median of many lines, since a process may be suspended between
 * reading the two clocks.
 */
function timeOfDay({ lines }: EventLog): number {
  const found = lines.slice(0, 200).map(({ t, at }) => Date.parse(at) - t)
  return found.sort((left, right) => left - right)[found.length >> 1]
}

function differencesOf(ofDay: readonly number[], messages: readonly LoggedMessage[]): readonly Difference[] {
  const least = new Map<string, number>()
  for (const { from, to, sent, taken } of messages) {
    const key = `${from} ${to}`
    least.set(key, Math.min(least.get(key) ?? Infinity, taken + ofDay[to] - sent - ofDay[from]))
  }
  return [...least].flatMap(([key, there]) => {
    const [from, to] = key.split(' ').map(Number)
    const back = least.get(`${to} ${from}`)
    if (back === undefined) return []
    return [{ of: to, than: from, behind: (back - there) / 2, error: Math.abs(back + there) / 2 }]
  })
}

function textOf(
  logs: readonly EventLog[],
  applied: readonly number[],
  corrections: ReadonlyMap<number, Correction>,
  reference: number
): string {
  const corrected = logs.flatMap(({ peer }, index) => {
    const error = corrections.get(index)?.error ?? 0
    return applied[index] === 0 ? [] : [`${peer} by ${time(applied[index])} (± ${time(error)})`]
  })
  const uncorrected = logs.filter(
    ({ machine }, index) => !corrections.has(index) && machine !== logs[reference].machine
  )
  const names = [...new Set(uncorrected.map(({ peer }) => peer))].join(', ')
  const most = Math.max(0, ...[...corrections.values()].map(({ error }) => error))
  return [
    corrected.length === 0
      ? `By their messages, the clocks of the machines agree within ${time(most)}`
      : `Clocks were corrected by messages in both directions: ${corrected.join(', ')}`,
    ...(names === ''
      ? []
      : [`those of ${names} were not corrected, since no message of theirs is in the logs of both ends`])
  ].join('; ')
}

/** To three digits; above ten minutes in hours. */
function time(milliseconds: number): string {
  const [size, unit] = Math.abs(milliseconds) < 600_000 ? [1, 'ms'] : [3_600_000, 'h']
  return `${Number((milliseconds / size).toPrecision(3))} ${unit}`
}
