import { peerName } from '@murmuration/core'
import test from 'ava'
import type { EpochEvent } from '../../base/events.js'
import { SeenEpochs } from './seen-epochs.js'

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(peerName)
const base = { kind: 'epoch', round: 6, servers: [], givers: [], seconds: 1 } as const

test('epochs are counted once, whoever tells of them, and those are lost that the newest is without', (t) => {
  const seen = new SeenEpochs()
  t.is(seen.figures, undefined)
  const first: EpochEvent = { ...base, peer: a, epoch: 1, members: [a, d], lost: [c, b], joined: [] }
  const second: EpochEvent = { ...base, peer: a, epoch: 2, members: [a, b, d], lost: [], joined: [b] }
  for (const event of [first, second, { ...second, peer: d }, { ...first, peer: d }]) seen.take(event)
  t.deepEqual(seen.figures, { epochs: 2, lost: [c] })
  seen.take({ ...base, peer: b, epoch: 4, members: [b, d], lost: [], joined: [] })
  t.deepEqual(seen.figures, { epochs: 3, lost: [a, c] }, 'also in an epoch that began nowhere')
})
