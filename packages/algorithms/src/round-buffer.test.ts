import { type PeerName, peerName } from '@murmuration/core'
import test from 'ava'
import fc from 'fast-check'
import { RoundBuffer } from './round-buffer.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)
const both = () => [a, b]

test('a round is complete when each expected sender was heard once', (t) => {
  const buffer = new RoundBuffer<string>(both, 4)
  t.deepEqual(buffer.missing(), [a, b])
  t.is(buffer.offer(b, 0, 'from b'), 'kept')
  t.deepEqual(buffer.missing(), [a])
  t.is(buffer.offer(a, 0, 'from a'), 'kept')
  t.deepEqual(buffer.missing(), [])
  t.deepEqual(buffer.take(), ['from a', 'from b'])
})

test('an early message waits for its round', (t) => {
  const buffer = new RoundBuffer<string>(both, 4)
  t.is(buffer.offer(a, 1, 'early'), 'kept')
  t.deepEqual(buffer.missing(), [a, b])
  buffer.take()
  t.deepEqual(buffer.missing(), [b])
})

test('late, duplicate, too early and unexpected messages change nothing', (t) => {
  const buffer = new RoundBuffer<string>((round) => (round === 1 ? [a] : [a, b]), 2)
  buffer.take()
  t.is(buffer.offer(a, 0, 'late'), 'late')
  t.is(buffer.offer(a, 1, 'first'), 'kept')
  t.is(buffer.offer(a, 1, 'second'), 'duplicate')
  t.is(buffer.offer(a, 4, 'far ahead'), 'too-early')
  t.is(buffer.offer(b, 1, 'not this round'), 'unexpected')
  t.is(buffer.offer(c, 2, 'a stranger'), 'unexpected')
  t.deepEqual(buffer.take(), ['first'])
})

/** A message that may come at any time, any number of times. */
const arrivals = fc.array(
  fc.record({ from: fc.constantFrom<PeerName>(a, b, c), round: fc.nat(6), take: fc.boolean() }),
  { maxLength: 200 }
)

test('whatever arrives in whatever order, a round holds the first message of each expected sender and no other', (t) => {
  fc.assert(
    fc.property(arrivals, (steps) => {
      const buffer = new RoundBuffer<number>(both, 3)
      const model = new Map<string, number>()
      let round = 0
      for (const [index, step] of steps.entries()) {
        const key = `${step.from} ${step.round}`
        const wanted = step.from !== c && step.round >= round && step.round <= round + 3 && !model.has(key)
        t.is(buffer.offer(step.from, step.round, index) === 'kept', wanted)
        if (wanted) model.set(key, index)
        if (!step.take) continue
        const taken = buffer.take()
        t.deepEqual(
          taken,
          [a, b].map((name) => model.get(`${name} ${round}`))
        )
        round++
        t.is(buffer.round, round)
      }
    })
  )
})
