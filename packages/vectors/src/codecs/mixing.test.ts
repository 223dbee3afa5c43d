import test from 'ava'
import { consensusDistance, mean, weightedSum } from '../arithmetic.js'
import { farthest, normals, Pair } from './codecs.test.support.js'

const peers = 8
const length = 2000

/**
 * Eight vectors on a ring that average, x_i ← ⅓ x_{i−1} + ⅓ x_i + ⅓ x_{i+1}, with each link's messages in a codec, but
 * not a peer's own vector. Returns the consensus distance after `rounds` rounds, and how far the mean has moved.
 */
function mix(t: Parameters<Pair['pass']>[0], codec: string, rounds: number): { distance: number; drift: number } {
  let vectors = Array.from({ length: peers }, (_, peer) => normals(length, peer))
  const start = mean(vectors)
  const links = vectors.map((_, from) => [1, -1].map((side) => new Pair(codec, length, 2 * from + side)))
  for (let round = 0; round < rounds; round++) {
    const sent = vectors.map((vector, from) => links[from].map((link) => link.pass(t, vector)))
    vectors = vectors.map((vector, own) => {
      const before = sent[(own + peers - 1) % peers][0]
      const after = sent[(own + 1) % peers][1]
      const terms = [before, vector, after].map((term) => ({ weight: 1 / 3, vector: term }))
      return weightedSum(new Float32Array(length), terms)
    })
  }
  return { distance: consensusDistance(vectors), drift: farthest(mean(vectors), start) }
}

test('float32 brings eight vectors together as near as float32 numbers are', (t) => {
  t.true(mix(t, 'float32', 0).distance > 40)
  const { distance, drift } = mix(t, 'float32', 100)
  t.true(distance < 4e-6, `${distance}`)
  t.true(drift < 1e-6, `${drift}`)
})

test('rounding what is sent leaves them apart, by as much as one rounding', (t) => {
  const floors = { float16: [3e-3, 1.2e-2], bfloat16: [2e-2, 1e-1] } as const
  for (const [codec, [least, most]] of Object.entries(floors)) {
    for (const rounds of [60, 200]) {
      const { distance } = mix(t, codec, rounds)
      t.true(distance > least && distance < most, `${codec} after ${rounds} rounds: ${distance}`)
    }
  }
  const { distance } = mix(t, 'int8', 60)
  t.true(distance > 1e-2 && distance < 1e-1, `int8: ${distance}`)
})

test('sending changes brings them as near as float32 does, in as many rounds', (t) => {
  const exact = mix(t, 'float32', 50).distance
  for (const codec of ['delta-float16', 'delta-bfloat16', 'delta-int8', 'delta-int4']) {
    const early = mix(t, codec, 50).distance
    t.true(Math.abs(early / exact - 1) < 0.05, `${codec}: ${early}, ${exact} with float32`)
    const { distance } = mix(t, codec, 100)
    t.true(distance < 6e-6, `${codec}: ${distance}`)
  }
})

test('sending few changes takes longer, and arrives', (t) => {
  const half = mix(t, 'top-k:0.5', 100)
  const tenth = mix(t, 'top-k:0.1', 250)
  t.true(half.distance < 6e-6, `${half.distance}`)
  t.true(tenth.distance < 6e-6, `${tenth.distance}`)
  t.true(mix(t, 'top-k:0.1', 50).distance > 0.1)
})

test('the mean moves by what the first rounds lose: the less is sent, the farther', (t) => {
  const drifts = ['delta-float16', 'delta-bfloat16', 'delta-int8', 'top-k:0.1'].map((codec) => mix(t, codec, 50).drift)
  const most = [1e-3, 1e-2, 3e-2, 1.5]
  t.true(
    drifts.every((drift, index) => drift < most[index]),
    String(drifts)
  )
})
