/** Clocks of different machines, aligned by the messages that they exchanged. */
import type { EventLog } from './read.js'
import type { LoggedMessage } from './messages.js'

/** The common time of each log. */
export interface AlignedClocks {
  /** What to add to a log's `t` to get milliseconds of the common time: the first log's time of day, except for corrections. */
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

/**
 * A message is taken after it was sent. If clock b shows d more than clock a, `taken − sent` is at least d for messages from a to b, and
 * at least −d for messages from b to a. So d lies between the negated minimum of the latter and the minimum of the former. The middle is
 * used, as in RFC 5905, section 8; its error is at most half of the interval. A correction that is smaller than its error plus the
 * resolution of times of day is not applied. Logs with messages in one direction only keep the time of day of their machines.
 */
export function alignedClocks(logs: readonly EventLog[], messages: readonly LoggedMessage[]): AlignedClocks {
  const ofDay = logs.map(timeOfDay)
  const differences = differencesOf(ofDay, messages)
  const corrections = new Map([[0, { behind: 0, error: 0 }]])
  // As in Dijkstra's algorithm, the smallest error first: errors add up along a path of messages.
  for (;;) {
    const next = differences
      .filter(({ of, than }) => corrections.has(than) && !corrections.has(of))
      .map(({ of, than, behind, error }) => {
        const base = corrections.get(than) ?? { behind: 0, error: 0 }
        return { of, behind: base.behind + behind, error: base.error + error }
      })
      .sort((left, right) => left.error - right.error)[0]
    if (next === undefined) break
    corrections.set(next.of, next)
  }
  const applied = logs.map((_, index) => {
    const { behind, error } = corrections.get(index) ?? { behind: 0, error: Infinity }
    return Math.abs(behind) <= error + resolution ? 0 : behind
  })
  return { offsets: ofDay.map((offset, index) => offset + applied[index]), text: textOf(logs, applied, corrections) }
}

/** The time of day at which a log's `t` was 0. The median of many lines, since a process may be suspended between reading the two clocks. */
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
    return [{ of: to, than: from, behind: (back - there) / 2, error: Math.max(0, (back + there) / 2) }]
  })
}

function textOf(
  logs: readonly EventLog[],
  applied: readonly number[],
  corrections: ReadonlyMap<number, { readonly error: number }>
): string {
  const corrected = logs.flatMap(({ peer }, index) => {
    const error = corrections.get(index)?.error ?? 0
    return applied[index] === 0 ? [] : [`${peer} by ${rounded(applied[index])} ms (± ${rounded(error)} ms)`]
  })
  const uncorrected = logs.filter(({ machine }, index) => !corrections.has(index) && machine !== logs[0].machine)
  const names = [...new Set(uncorrected.map(({ peer }) => peer))].join(', ')
  const most = Math.max(0, ...[...corrections.values()].map(({ error }) => error))
  return [
    corrected.length === 0
      ? `By their messages, the clocks of the machines agree within ${rounded(most)} ms`
      : `Clocks were corrected by messages in both directions: ${corrected.join(', ')}`,
    ...(names === ''
      ? []
      : [`those of ${names} were not corrected, since no message of theirs is in the logs of both ends`])
  ].join('; ')
}

const rounded = (milliseconds: number): string => String(Number(milliseconds.toPrecision(3)))
