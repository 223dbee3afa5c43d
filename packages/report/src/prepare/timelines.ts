/** Limits timelines to what a page can draw and a person can read. */
import type { Timeline } from '@murmuration/results'
import type { PageTimeline } from '../shared/page-data.js'
import { secondsText, settingText } from '../shared/units.js'

/** Spans, messages and peers beyond these numbers are cut off, and the page says so. */
export const timelineLimits = { spans: 3000, messages: 2000, peers: 64 }

/**
 * Keeps the first peers, and the time until there are too many spans or messages. `varying` are the axes that
 * distinguish runs.
 */
export function pageTimeline(timeline: Timeline, varying: readonly string[]): PageTimeline {
  const peers = timeline.peers.slice(0, timelineLimits.peers)
  const shown = new Set(peers)
  const spans = timeline.spans.filter(({ peer }) => shown.has(peer)).sort((a, b) => a.start - b.start)
  const messages = timeline.messages
    .filter(({ from, to }) => shown.has(from) && shown.has(to))
    .sort((a, b) => a.sent - b.sent)
  const to = Math.min(
    timeline.to,
    spans[timelineLimits.spans]?.start ?? Infinity,
    messages[timelineLimits.messages]?.sent ?? Infinity
  )
  const leftOut = leftOutText(timeline, peers.length, messages.length, to)
  return {
    title: titleOf(timeline, varying),
    from: timeline.from,
    to,
    peers,
    spans: spans.filter(({ start }) => start < to).map((span) => ({ ...span, end: Math.min(span.end, to) })),
    messages: messages
      .filter(({ sent }) => sent < to)
      .map(({ fate, ...message }) => ({ ...message, dropped: fate === 'dropped' })),
    marks: (timeline.marks ?? []).filter(({ peer, at }) => shown.has(peer) && at <= to),
    ...(timeline.clocks !== undefined && { clocks: timeline.clocks }),
    ...(leftOut !== '' && { leftOut })
  }
}

function titleOf({ title, settings, method, seed, from, to }: Timeline, varying: readonly string[]): string {
  const where = varying.map((axis) => `${axis} ${settingText(axis, settings[axis])}`)
  return [title ?? method, ...where, `seed ${seed}`, `${secondsText(from)} to ${secondsText(to)}`].join(', ')
}

function leftOutText(timeline: Timeline, peers: number, messages: number, to: number): string {
  const parts = [
    ...(peers < timeline.peers.length ? [`only the first ${peers} of ${timeline.peers.length} peers are shown`] : []),
    ...(messages < timeline.messages.length
      ? [`messages from or to the others are left out (${timeline.messages.length - messages})`]
      : []),
    ...(to < timeline.to ? [`it is cut at ${secondsText(to)} to stay readable`] : [])
  ]
  return parts.join('; ')
}
