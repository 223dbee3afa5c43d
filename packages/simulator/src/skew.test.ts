import { peerName, type Topology, type Wire } from '@murmuration/core'
import test from 'ava'
import { simulate } from './simulate.js'
import { uniformLinks } from './simulation-options.js'

const wire: Wire<number> = { byteLength: () => 1000, payloadLength: () => 1000, copy: (value) => value }
const a = peerName('a')
const mixing = () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] })
const topology: Topology = { peers: [a], period: 1, mixing }

/** Options of a simulation of one peer, whose clock runs `factor` times as fast from `at` on. */
function skewed(at: number, factor: number) {
  const events = [{ at, kind: 'skew' as const, peer: a, factor }]
  return { topology, seed: 1, wire, links: uniformLinks({}), cost: () => 0, faults: { rules: [], events } }
}

test('a clock that goes twice as fast wakes its peer after half the time, and never jumps', async (t) => {
  const seen: number[] = []
  const { elapsed } = await simulate<number>(skewed(50, 2), async (fabric) => {
    await fabric.sleep(50)
    seen.push(fabric.now())
    await fabric.sleep(150)
    seen.push(fabric.now())
  })
  t.deepEqual(seen, [50, 150])
  t.is(elapsed, 100)
})

for (const factor of [0.9, 1.1, 1 / 3]) {
  test(`a wait never ends before its time on a clock that runs ${factor} times as fast, and is rounded`, async (t) => {
    let early = 0
    await simulate<number>(skewed(1 / 7, factor), async (fabric) => {
      await fabric.sleep(1)
      for (let k = 1; k < 1000; k++) {
        const until = fabric.now() + 1 / k
        await fabric.sleep(until)
        if (fabric.now() < until) early++
      }
    })
    t.is(early, 0)
  })
}
