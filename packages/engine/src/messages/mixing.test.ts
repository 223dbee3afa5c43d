import { InvariantError, peerName } from '@murmuration/core'
import test from 'ava'
import { addFlow, agreedWeight, edgeWeight, kept, mean, meanOf, mix, total, without } from './mixing.js'
import { Mixings } from './route.js'
import { collected, valueOf } from '../record/record.js'
import { Arena } from '../vectors/vector.js'

const arena = new Arena({ allocate: (length: number) => new Float32Array(length), free: () => {} })
const vector = (...values: number[]) => arena.adopt(Float32Array.from(values))
const [a, b, c] = ['a', 'constructor', 'z'].map(peerName)
const edges = [
  { name: a, weight: 0.25 },
  { name: c, weight: 0.125 }
]
const W = new Mixings({ self: b, neighbours: () => ({ selfWeight: 0.625, receiveFrom: edges, sendTo: edges }) }).of(3)
const mine = { x: vector(1), w: 1 }
const theirs = Object.assign(collected<typeof mine>(), { [a]: { x: vector(8), w: 2 }, [c]: { x: vector(16), w: 4 } })

test('mix is Σ_j W_ij theirs_j, vectors and numbers alike', (t) => {
  const { x, w } = mix(W, mine, theirs)
  t.deepEqual([...x.values, w], [0.625 + 2 + 2, 0.625 + 0.5 + 0.5])
})

test('the weight of a missing peer goes to oneself', (t) => {
  t.deepEqual([...mix(W, mine, without(theirs, c)).x.values], [0.75 + 2])
  t.deepEqual([...mix(W, mine, collected()).x.values], [1])
})

test('a row that does not sum to 1 is an error in Murmuration', (t) => {
  const wrong = new Mixings({ self: b, neighbours: () => ({ selfWeight: 0.7, receiveFrom: edges, sendTo: edges }) }).of(
    0
  )
  t.throws(() => mix(wrong, mine, theirs), { instanceOf: InvariantError, message: /sum to 1\.075/ })
})

test('total adds what was weighted before, and mean weighs all alike', (t) => {
  t.is(total(W, mine, theirs).w, 7)
  t.deepEqual([...mean(W, mine, without(theirs, a)).x.values], [8.5])
})

test('a peer without a value counts as missing', (t) => {
  const lacking = { ...theirs, [a]: undefined }
  t.deepEqual([...mix(W, mine, lacking).x.values], [0.875 + 2])
  t.deepEqual([...mean(W, mine, lacking).x.values], [8.5])
  t.is(meanOf(W, lacking).w, 4)
  t.throws(() => valueOf(lacking, a), { instanceOf: InvariantError, message: /nothing is known of a/ })
})

test('a sender keeps the fraction of those that it cannot reach', (t) => {
  t.is(kept(W, [c]), 0.75)
  // A repaired row with more receivers than senders.
  const offers = [a, c].map((name) => ({ name, weight: 0.25 }))
  const row = { selfWeight: 0.75, receiveFrom: offers.slice(0, 1), sendTo: offers, offer: 0.25 }
  const repaired = new Mixings({ self: b, neighbours: () => row }).of(0)
  t.deepEqual([kept(repaired, []), kept(repaired, [c])], [0.5, 0.75])
})

test('both ends use the smaller of two offers; who names none offers what the topology says', (t) => {
  const repaired = new Mixings({
    self: b,
    neighbours: () => ({ selfWeight: 0.625, receiveFrom: edges, sendTo: edges })
  })
  const others = [a, c].map((name) => ({ name, weight: 0.375 }))
  const row = { selfWeight: 0.25, receiveFrom: others, sendTo: others, offer: 0.375 }
  repaired.repaired = (round) => (round === 0 ? row : { selfWeight: 0.625, receiveFrom: edges, sendTo: edges })
  const R = repaired.of(0)
  /** Messages of 8, and the weights agreed on in a round where the others offer these. */
  const offering = (offers: Readonly<Record<string, number>>, inRow = R) => {
    const agreed = Object.entries(offers).map(([j, offer]) => [j, agreedWeight(inRow, peerName(j), offer)] as const)
    const messages = Object.keys(offers).map((j) => [j, { x: vector(8) }])
    return Object.assign(collected<{ x: ReturnType<typeof vector> }>(new Map(agreed)), Object.fromEntries(messages))
  }
  t.is(edgeWeight(R, a, collected()), 0.25, 'the topology’s')
  t.is(edgeWeight(R, a, offering({ [a]: 0.5 })), 0.375, 'mine')
  t.is(edgeWeight(R, a, offering({ [a]: 0.125 })), 0.125, 'theirs')
  t.is(
    edgeWeight(repaired.of(1), a, offering({ [a]: 0.125 }, repaired.of(1))),
    0.125,
    'theirs, and mine is the topology’s'
  )
  t.deepEqual([...mix(R, { x: vector(0) }, offering({ [a]: 0.125, [c]: 0.5 })).x.values], [1 + 3])
  t.deepEqual([...mix(R, { x: vector(16) }, offering({ [a]: 0.125 })).x.values], [14 + 1], 'the rest is one’s own')
})

test('a late flow is added to what was sent of the state, and to nothing else', (t) => {
  const flow = { from: a, round: 0, weight: 0.25, mine: { x: vector(4) }, theirs: { x: vector(12) } }
  const next = addFlow({ x: vector(1), y: vector(7), w: 3 }, flow)
  t.deepEqual([[...next.x.values], [...next.y.values], next.w], [[3], [7], 3])
})
