/** AD-PSGD with a period, which is SwarmSGD: fewer requests, the same optimum. */
import { type Algorithm, algorithms, train } from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import { fabricWith, type PeerName } from '@murmuration/core'
import { createQuadraticTask } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import test from 'ava'
import { peersOf } from './recursion.js'
import { inSimulator } from './worlds.js'

const adPsgd = algorithms.find(({ name }) => name === 'ad-psgd') as Algorithm
const peers = peersOf(4)
const rounds = 240
const dimension = 6

/**
 * How many vectors were sent in training, and the distance of the worst peer from the optimum, relative to that of the
 * start.
 */
async function run(period: number) {
  let sent = 0
  const ends = new Map<PeerName, Float32Array>()
  let optimum: ArrayLike<number> = []
  const topology = createTopology({ peers, graph: { kind: 'ring' } })
  await inSimulator({ topology, seed: 7, length: dimension }, async (fabric) => {
    const task = createQuadraticTask({ peers, self: fabric.self, seed: 3, heterogeneity: 0.5, dimension })
    optimum = task.optimum
    const counting = fabricWith(fabric, {
      send: (to, message) => {
        if (message.vector.length > 0) sent++
        return fabric.send(to, message)
      }
    })
    const rate = (round: number) => 0.4 / (1 + round / 8)
    const settings = { algorithm: adPsgd, options: { period }, seed: 7, batchSize: 1, rounds, rate }
    const all = { ...settings, timeout: timeLimit(20_000), workers: peers }
    for await (const { parameters } of train(counting, task, all)) ends.set(fabric.self, parameters.slice())
  })
  const far = (x: Float32Array) => Math.hypot(...x.map((value, d) => value - optimum[d]))
  const worst = Math.max(...[...ends.values()].map(far))
  return { sent, off: worst / far(new Float32Array(dimension)) }
}

test('with a period of H a peer asks after H steps, and the peers still reach the optimum', async (t) => {
  const each = await run(1)
  const fourth = await run(4)
  // A request and its reply; of two peers that ask each other at once, one is refused.
  t.true(each.sent > 1.5 * 4 * rounds && each.sent <= 2 * 4 * rounds, `${each.sent}`)
  t.true(fourth.sent > (1.5 * 4 * rounds) / 4 && fourth.sent <= (2 * 4 * rounds) / 4, `${fourth.sent}`)
  t.true(fourth.off < 0.05, `${fourth.off}`)
})
