import { peerName } from '@murmuration/core'
import test from 'ava'
import { MemberEvents } from './member-events.js'

const [a, b] = ['a', 'b'].map(peerName)
const standing = { state: 'degraded', policy: 'continue', members: [a, b], present: [a, b], missing: [] } as const

test('who is left out reads for how much longer, where that is known', (t) => {
  const events = new MemberEvents(a, () => 0)
  const told = (time?: number) =>
    events.of({ kind: 'left-out', peer: a, by: [b], ...(time !== undefined && { time }) }, standing)
  const text = 'a: is left out by b: it was late, or came back, too often'
  t.like(told(7200), { text: `${text}; for 8 s`, leftOut: { peer: a, seconds: 8 } })
  t.like(told(), { text, leftOut: undefined })
})
