import test from 'ava'
import { alignedClocks } from './clocks.js'
import type { EventLine } from './lines.js'
import { eventLine } from './lines.js'
import { messagesIn } from './messages.js'
import type { EventLog } from './read.js'
import { timelinesOfLogs } from './timelines.js'

/** When all processes began, in milliseconds of true time. */
const start = Date.UTC(2026, 0, 1)

type Fields = EventLine extends infer Line ? (Line extends EventLine ? Omit<Line, 't' | 'at'> : never) : never

/**
 * A log with lines at true times, in milliseconds, from a machine whose clock is `ahead`; its process began at `began`.
 */
function log(
  peer: string,
  ahead: number,
  lines: readonly (readonly [at: number, line: Fields & { start?: number }])[],
  began = 0
): EventLog {
  const machine = `host of ${peer}`
  const head = { kind: 'log', peer, run: 'x', pid: 1, machine, part: 1 } as const
  const stamped = [[began, head] as const, ...lines].map(([at, line]) => {
    const since = 'start' in line && line.start !== undefined ? { start: line.start - began } : {}
    return { t: at - began, at: new Date(start + at + ahead).toISOString(), ...line, ...since }
  })
  return { peer, run: 'x', machine, lines: stamped }
}

/**
 * Vectors between two peers alternately, one a round, with `there` and `back` milliseconds in flight; and gradients of
 * 5 ms.
 */
function exchange(rounds: number, ahead: number, [there, back] = [3, 7]): readonly [EventLog, EventLog] {
  const all = Array.from({ length: rounds }, (_, k) => k)
  const span = (at: number) => [at + 5, { kind: 'span', what: 'gradient', start: at }] as const
  const sent = (at: number, to: string, k: number) => [at, { kind: 'sent', to, id: `0.${k}`, bytes: 8 }] as const
  const taken = (at: number, from: string, k: number) => [at, { kind: 'taken', from, id: `0.${k}` }] as const
  const end = [20 * rounds, { kind: 'end' }] as const
  const a = all.flatMap((k) => [span(20 * k + 1), sent(20 * k + 6, 'b', k), taken(20 * k + 8 + back, 'b', k)])
  const b = all.flatMap((k) => [span(20 * k + 1), sent(20 * k + 8, 'a', k), taken(20 * k + 6 + there, 'a', k)])
  return [log('a', 0, [...a, end]), log('b', ahead, [...b, end], 1)]
}

test('the logs of many peers may be as long as they get', (t) => {
  const lines = Array.from({ length: 14_000 }, (_, k) => [k + 1, { kind: 'span', what: 'gradient', start: k }] as const)
  const one = log('a', 0, lines)
  const logs = Array.from({ length: 45 }, (_, place) => ({ ...one, peer: `p${place}` }))
  const [whole] = timelinesOfLogs(logs, { settings: {}, method: 'D-PSGD', seed: 1 })
  t.deepEqual([whole.from, whole.to, whole.peers.length], [0, 14, 45])
})

test('clocks are corrected by what messages both ways allow, and to within what is said', (t) => {
  const logs = exchange(4, 5000)
  const { offsets, text } = alignedClocks(logs, messagesIn(logs))
  // In flight for 3 and 7 ms: the middle of the interval is off by 2 ms, and the error is at most 5 ms.
  t.is(offsets[1] - offsets[0] - 1, 2)
  t.is(text, 'Clocks were corrected by messages in both directions: b by -5000 ms (± 5 ms)')
})

test('a difference that messages do not tell is none', (t) => {
  const logs = exchange(4, 4)
  const { offsets, text } = alignedClocks(logs, messagesIn(logs))
  t.is(offsets[1] - offsets[0] - 1, 4, 'as the clocks show it')
  t.is(text, 'By their messages, the clocks of the machines agree within 5 ms')
})

test('clocks are corrected along the surest way; whose messages went one way only, is said', (t) => {
  const [a, b] = exchange(4, 1000)
  const [c, d] = exchange(4, 300, [1, 1]).map(({ lines, ...rest }, place) => {
    const names = new Map([
      ['a', 'b'],
      ['b', 'c']
    ])
    const renamed = lines.map((line) =>
      'to' in line
        ? { ...line, to: names.get(line.to) ?? '' }
        : 'from' in line
          ? { ...line, from: names.get(line.from) ?? '' }
          : line
    )
    return { ...rest, peer: ['b', 'c'][place], lines: renamed }
  })
  const joined = {
    ...b,
    lines: [
      ...b.lines,
      ...c.lines.filter(({ kind }) => kind === 'sent' || kind === 'taken').map((line) => ({ ...line, t: line.t - 1 }))
    ]
  }
  const alone = log('e', 9000, [[1, { kind: 'sent', to: 'a', id: '9', bytes: 1 }]])
  const logs = [a, joined, d, alone]
  const { text, offsets } = alignedClocks(logs, messagesIn(logs))
  t.is(offsets[3], start + 9000)
  t.regex(text, /b by -998 ms \(± 5 ms\), c by -298 ms \(± 6 ms\); those of e were not corrected/)
})

test('a short run is one timeline: spans, messages and marks of all peers on one clock', (t) => {
  const [a, b] = exchange(3, 60_000)
  const failure = eventLine(
    JSON.stringify({ ...b.lines[3], kind: 'membership', peer: 'b', state: 'isolated', text: 'b: isolated' })
  )
  const epoch = { ...b.lines[3], kind: 'epoch', peer: 'b', epoch: 1, round: 6, seconds: 1 }
  const epochs = [
    { ...epoch, lost: ['c'], joined: [] },
    { ...epoch, epoch: 2, lost: [], joined: ['c', 'd'] },
    { ...epoch, epoch: 0, lost: [], joined: [] }
  ]
  const added = [failure, ...epochs.map((each) => eventLine(JSON.stringify(each)))].flatMap((line) => line ?? [])
  const lines = [...b.lines.slice(0, 4), ...added, ...b.lines.slice(4)]
  const [whole, ...rest] = timelinesOfLogs([a, { ...b, lines }], { settings: {}, method: 'm', seed: 1 })
  t.deepEqual(rest, [])
  t.deepEqual(whole.peers, ['a', 'b'])
  t.is(whole.spans.length, 6)
  t.is(whole.messages.length, 6)
  t.true(whole.messages.every(({ sent, arrived }) => arrived > sent && arrived - sent < 0.011))
  t.true(whole.to > 0.05 && whole.to < 0.07, String(whole.to))
  t.deepEqual(
    whole.marks?.map(({ peer, text, isFailure }) => [peer, text, isFailure]),
    [
      ['b', 'b: isolated', true],
      ['b', 'b: epoch 1, without c', true],
      ['b', 'b: epoch 2, with c, d', false]
    ]
  )
})

test('of a long run the whole is shown coarsely; its beginning and its failures are shown with each message', (t) => {
  const [a, b] = exchange(2000, 0)
  const killed = { ...b, lines: b.lines.slice(0, 3000) }
  const [whole, beginning, around, ...rest] = timelinesOfLogs([a, killed], { settings: {}, method: 'm', seed: 1 })
  t.deepEqual(rest, [])
  t.is(whole.messages.length, 0)
  t.true(whole.spans.length < 900, String(whole.spans.length))
  t.deepEqual(
    whole.spans.filter(({ kind }) => kind === 'gone').map(({ peer }) => peer),
    ['b']
  )
  t.deepEqual([beginning.title, beginning.from], ['the beginning', 0])
  t.true(beginning.messages.length > 150 && beginning.messages.length < 700, String(beginning.messages.length))
  t.is(around.title, 'around “the log of b ends here: its process was killed, or its machine failed”')
  t.true(around.from < 20 && around.to > 20 && around.spans.some(({ kind }) => kind === 'gone'))
})

test('a peer that came back was gone in between; logs in which nobody computed are no timeline', (t) => {
  const [a, b] = exchange(100, 0)
  const first = { ...b, lines: b.lines.slice(0, 100) }
  const second = log(
    'b',
    0,
    [
      [1900, { kind: 'span', what: 'gradient', start: 1800 }],
      [2000, { kind: 'end' }]
    ],
    1700
  )
  const [whole] = timelinesOfLogs([a, first, second], { settings: {}, method: 'm', seed: 1 })
  const [gone] = whole.spans.filter(({ kind }) => kind === 'gone')
  t.true(gone.start > 0.6 && gone.start < 0.7 && Math.abs(gone.end - 1.7) < 0.01, JSON.stringify(gone))
  t.deepEqual(timelinesOfLogs([log('a', 0, [])], { settings: {}, method: 'm', seed: 1 }), [])
  t.deepEqual(timelinesOfLogs([], { settings: {}, method: 'm', seed: 1 }), [])
})

test('damaged and unknown lines are left out', (t) => {
  const line = { t: 1, at: new Date(start).toISOString() }
  for (const wrong of [
    '',
    '{"t":1',
    '[]',
    'null',
    JSON.stringify({ ...line, kind: 'step' }),
    JSON.stringify({ ...line, t: -1, kind: 'end' })
  ])
    t.is(eventLine(wrong), undefined, wrong)
  t.deepEqual(eventLine(JSON.stringify({ ...line, kind: 'end' })), { ...line, kind: 'end' })
})
