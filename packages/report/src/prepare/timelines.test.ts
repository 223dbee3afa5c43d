import test from 'ava'
import type { Timeline } from '@murmuration/results'
import { pageTimeline, timelineLimits } from './timelines.js'

const timeline = (messages: number, peers = ['p0', 'p1']): Timeline => ({
  settings: { latency: 5 },
  method: 'D-PSGD',
  seed: 3,
  from: 0,
  to: messages,
  peers,
  spans: [{ peer: 'p0', kind: 'gradient', start: 0, end: messages }],
  messages: Array.from({ length: messages }, (_, k) => ({
    from: 'p0',
    to: 'p1',
    sent: k,
    arrived: k + 1,
    bytes: 10,
    fate: k === 0 ? ('dropped' as const) : ('delivered' as const)
  }))
})

test('a short timeline is shown whole', (t) => {
  const page = pageTimeline(timeline(3), ['latency'])
  t.is(page.title, 'D-PSGD, latency 5 ms, seed 3, 0 s to 3 s')
  t.is(page.leftOut, undefined)
  t.deepEqual(
    page.messages.map(({ dropped }) => dropped),
    [true, false, false]
  )
})

test('a long one is cut where its messages become too many, and says so', (t) => {
  const page = pageTimeline(timeline(timelineLimits.messages + 500), [])
  t.is(page.messages.length, timelineLimits.messages)
  t.is(page.to, timelineLimits.messages)
  t.is(page.spans[0].end, timelineLimits.messages)
  t.is(page.leftOut, 'it is cut at 33.3 min to stay readable')
})

test('of many peers the first are shown, with the messages among them', (t) => {
  const peers = Array.from({ length: 100 }, (_, k) => `p${k}`)
  const base = timeline(2, peers)
  const page = pageTimeline({ ...base, messages: [{ ...base.messages[0], to: 'p99' }, base.messages[1]] }, [])
  t.is(page.peers.length, timelineLimits.peers)
  t.is(page.messages.length, 1)
  t.is(page.leftOut, 'only the first 64 of 100 peers are shown; messages from or to the others are left out (1)')
})

test('of a real run the title says what is shown; marks of peers that are shown stay, until the time at which it is cut', (t) => {
  const mark = (peer: string, at: number) => ({ peer, at, text: 'dead', isFailure: true })
  const marks = [mark('p0', 1), mark('p9', 1), mark('p0', timelineLimits.messages + 1)]
  const real = { ...timeline(timelineLimits.messages + 500), title: 'the whole run', clocks: 'agree', marks }
  const page = pageTimeline(real, [])
  t.regex(page.title, /^the whole run, seed 3, /)
  t.is(page.clocks, 'agree')
  t.deepEqual(page.marks, [marks[0]])
})
