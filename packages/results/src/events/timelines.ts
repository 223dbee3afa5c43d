/** The logs of all peers of a run, as the timelines that simulated runs have. */
import type { Timeline } from '../results.js'
import { alignedClocks } from './clocks.js'
import { inBuckets } from './buckets.js'
import { messagesIn } from './messages.js'
import { marksOf, spansOf } from './parts.js'
import type { EventLog } from './read.js'

/** With at most so many messages, a chart can show each. */
const messagesShown = 300

/** At most so many failures are shown in detail. */
const maxDetails = 3

/** The run that timelines belong to. */
export type TimelineRun = Pick<Timeline, 'settings' | 'method' | 'seed'>

/**
 * The run as a whole; if it has too many messages to show each, also its beginning and the time around its first
 * failures. Times are seconds since the first peer computed. Empty if no log says what a peer did.
 */
export function timelinesOfLogs(logs: readonly EventLog[], run: TimelineRun): readonly Timeline[] {
  const logged = messagesIn(logs)
  const { offsets, text: clocks } = alignedClocks(logs, logged)
  let zero = Number.POSITIVE_INFINITY
  for (const [index, { lines }] of logs.entries())
    for (const line of lines) if (line.kind === 'span') zero = Math.min(zero, line.start + offsets[index])
  if (!Number.isFinite(zero)) return []
  const seconds = (index: number, t: number) => Math.max(0, (t + offsets[index] - zero) / 1000)
  const to = Math.max(...logs.map(({ lines }, index) => seconds(index, lines[lines.length - 1].t)))
  const peers = [...new Set(logs.map(({ peer }) => peer))].sort()
  const spans = spansOf(logs, seconds, to)
  const marks = marksOf(logs, seconds)
  const messages = logged.map(({ from, to, sent, taken, bytes }) => {
    const start = seconds(from, sent)
    return {
      from: logs[from].peer,
      to: logs[to].peer,
      sent: start,
      arrived: Math.max(start, seconds(to, taken)),
      bytes,
      fate: 'delivered' as const
    }
  })
  const whole = { ...run, title: 'the whole run', from: 0, to, peers, spans, messages, marks, clocks }
  if (messages.length <= messagesShown) return [whole]
  const width = (to * messagesShown) / messages.length
  const detail = (title: string, from: number): Timeline =>
    within({ ...whole, title, from, to: Math.min(to, from + width) })
  const failures = marks.filter(({ isFailure }) => isFailure)
  const apart = failures.filter(
    ({ at }, index) => failures.findIndex((other) => Math.abs(other.at - at) < width) === index
  )
  return [
    { ...whole, spans: inBuckets(spans, to), messages: [] },
    detail('the beginning', 0),
    ...apart.slice(0, maxDetails).map(({ at, text }) => detail(`around “${text}”`, Math.max(0, at - width / 2)))
  ]
}

function within({ from, to, spans, messages, marks = [], ...rest }: Timeline): Timeline {
  return {
    ...rest,
    from,
    to,
    spans: spans.filter(({ start, end }) => end >= from && start <= to),
    messages: messages.filter(({ sent, arrived }) => arrived >= from && sent <= to),
    marks: marks.filter(({ at }) => at >= from && at <= to)
  }
}
