import { algorithms } from '@murmuration/algorithms'
import { peerName } from '@murmuration/core'
import test from 'ava'
import type { RunPlan } from '../../training/plan.js'
import type { PeerResult } from '../one-peer/run-peer.js'
import { summarise } from './summary.js'

const [a, b, c, s] = ['a', 'b', 'c', 's'].map(peerName)
const half = { payload: 1, overhead: 1, raw: 1, frames: 1 }
const result = {
  parameters: Float32Array.of(1),
  evaluation: { loss: 1 },
  task: { schema: [{ name: 'x', shape: [1] }], samples: 1, about: {} },
  samples: 1,
  traffic: { sent: half, received: half },
  troubled: {},
  faults: [],
  seconds: 1,
  waiting: 0,
  working: 1
} as unknown as PeerResult

test('who is lost are workers and servers without a result, but no services; epochs are counted if any began', (t) => {
  const summaryOf = (name: string, epochs?: number) => {
    const plan = {
      file: { topology: { peers: [a, b, c] }, servers: [{ name: s }] },
      training: { rate: {} },
      options: { rounds: 9, seed: 1, algorithm: algorithms.find((each) => each.name === name) },
      spectralGap: 1
    } as unknown as RunPlan
    const results = new Map([a, c].map((peer) => [peer, result]))
    const seen = { outliers: [], ...(epochs === undefined ? {} : { epochs, lost: [] }) }
    const rest = { ofMean: { loss: 1 }, central: undefined, before: undefined, seen }
    return summarise(plan, { results, servers: new Map() }, rest)
  }
  t.like(summaryOf('parameter-server', 2), { finished: 2, lost: [b, s], epochs: 2 })
  t.deepEqual(summaryOf('parameter-services').lost, [b])
  t.false('epochs' in summaryOf('parameter-services'))
})
