import { peerName } from '@murmuration/core'
import test from 'ava'
import fc from 'fast-check'
import { Assembly } from './assembly.js'
import { piecesOf, type Stretch, viewOf } from './stretches.js'

const length = 7
const stretches = piecesOf({ offset: 0, length }, 3)
const senders = ['a', 'b'].map(peerName)

/** What sender `from` sends in `round`: no two elements of anybody are the same. */
const vectorOf = (from: number, round: number) =>
  Float32Array.from({ length }, (_, index) => 1000 * from + 10 * round + index / 10)

const messageOf = (from: number, round: number, { offset, length: size }: Stretch) => ({
  kind: 1,
  round,
  offset,
  vector: viewOf(vectorOf(from, round), { offset, length: size }).slice()
})

test('a vector is whole with its last stretch, whoever else sends meanwhile', (t) => {
  const assembly = new Assembly(stretches)
  for (const round of [0, 1]) {
    for (const stretch of stretches.slice(0, 2)) {
      for (const from of [0, 1]) t.is(assembly.offer(senders[from], messageOf(from, round, stretch)), undefined)
    }
    for (const from of [0, 1]) {
      const whole = assembly.offer(senders[from], messageOf(from, round, stretches[2]))
      t.deepEqual(whole, { kind: 1, round, vector: vectorOf(from, round) })
    }
  }
})

test('what is put together is a copy', (t) => {
  const assembly = new Assembly(stretches)
  const messages = stretches.map((stretch) => messageOf(0, 0, stretch))
  const whole = messages.map((message) => assembly.offer(senders[0], message))[2]
  for (const { vector } of messages) vector.fill(-1)
  t.deepEqual(whole?.vector, vectorOf(0, 0))
})

test('whatever is lost, overtaken or doubled, a vector comes whole and once, or not at all where something is lost', (t) => {
  const fate = fc.record({
    isLost: fc.constantFrom(false, false, false, true),
    copies: fc.integer({ min: 1, max: 2 }),
    delay: fc.nat(3)
  })
  const fates = fc.array(fc.tuple(fate, fate, fate), { maxLength: 20 })
  fc.assert(
    fc.property(fates, (rounds) => {
      const arrivals = rounds.flatMap((ofStretches, round) =>
        ofStretches.flatMap(({ isLost, copies, delay }, place) =>
          Array.from({ length: isLost ? 0 : copies }, () => ({ round, place, time: 3 * round + place + delay }))
        )
      )
      arrivals.sort((left, right) => left.time - right.time)
      const assembly = new Assembly(stretches)
      const came = arrivals.flatMap(
        ({ round, place }) => assembly.offer(senders[0], messageOf(0, round, stretches[place])) ?? []
      )
      for (const { round, vector } of came) t.deepEqual(vector, vectorOf(0, round))
      const expected = [...rounds.keys()].filter((round) => !rounds[round].some(({ isLost }) => isLost))
      t.deepEqual(
        came.map(({ round }) => round).sort((left, right) => left - right),
        expected
      )
    })
  )
})

test('of vectors that stay incomplete, only the last few are kept', (t) => {
  const assembly = new Assembly(stretches)
  for (let round = 0; round < 5; round++) {
    assembly.offer(senders[0], messageOf(0, round, stretches[0]))
    assembly.offer(senders[0], messageOf(0, round, stretches[1]))
  }
  const last = [1, 0].map((round) => assembly.offer(senders[0], messageOf(0, round, stretches[2]))?.round)
  t.deepEqual(last, [1, undefined])
})

test('a stretch of another length is not taken', (t) => {
  const assembly = new Assembly(stretches)
  t.is(assembly.offer(senders[0], { kind: 1, round: 0, offset: 0, vector: new Float32Array(length) }), undefined)
  t.deepEqual(
    stretches.slice(1).map((stretch) => assembly.offer(senders[0], messageOf(0, 0, stretch))),
    [undefined, undefined]
  )
})
