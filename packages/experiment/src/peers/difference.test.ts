import { peerName } from '@murmuration/core'
import test from 'ava'
import { differenceOf } from './difference.js'

const training = { consensusTolerance: 1e-5, codec: 'float32' } as const
const models = [new Float32Array([1, 0]), new Float32Array([0, 1])]

test('final models that differ are reported, with the lost peers, and not those that final averaging has brought together', (t) => {
  const found = (consensusDistance: number, lost: readonly string[], before?: number) =>
    differenceOf(training, models, {
      ...{ consensusDistance, lost: lost.map(peerName) },
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
