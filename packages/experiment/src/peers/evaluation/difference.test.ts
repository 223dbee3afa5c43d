import { peerName } from '@murmuration/core'
import test from 'ava'
import { apartText, differenceOf, peersApart } from './difference.js'

const training = { consensusTolerance: 1e-5, codec: 'float32' } as const
const models = [new Float32Array([1, 0]), new Float32Array([0, 1])]

test('final models that differ are reported, with the lost peers, and not those that final averaging has brought together', (t) => {
  const found = (consensusDistance: number, lost: readonly string[], before?: number) =>
    differenceOf(training, models, {
      consensusDistance,
      lost: lost.map(peerName),
      ...(before === undefined ? {} : { consensusDistanceAfterTraining: before })
    })
  t.regex(found(0.483, [], 2) ?? '', /the peers have a consensus distance of 0\.483, expected at most 0\.0002/)
  t.regex(
    found(0.483, ['b'], 2) ?? '',
    /^the final models differ: their consensus distance is 0\.483, and with all peers it would be at most 0\.0002\d*; lost: b$/
  )
  for (const lost of [[], ['b']]) t.is(found(1e-4, lost, 2), undefined)
  t.is(found(0.483, ['b']), undefined)
})

test('a peer tells whose final models are not its own: farther than final averaging leaves two of them', (t) => {
  const [a, b, c] = ['a', 'b', 'c'].map(peerName)
  const distances = [
    { from: b, distance: 1e-4 },
    { from: c, distance: 0.15 }
  ]
  const own = { apartAfterTraining: 2, norm: 1 }
  const apart = peersApart(training, { finalRounds: 40 }, distances, own)
  t.deepEqual(apart, [{ from: c, distance: 0.15 }])
  t.regex(apartText(a, apart), /^the final models are not one: from the model of a c's is 0\.15 away/)
  t.deepEqual(peersApart(training, { finalRounds: 0 }, distances, own), [], 'nothing makes them one')
})
