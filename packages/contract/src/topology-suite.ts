import { byName, peerName, type Topology } from '@murmuration/core'
import type { TestFn } from 'ava'

/** What every topology promises, as tests. */
export function testTopology(test: TestFn, name: string, topology: Topology): void {
  const rounds = Array.from({ length: 2 * topology.period }, (_, round) => round)

  test(`${name}: every row of W has positive weights that sum to 1, in the order of names`, (t) => {
    t.deepEqual(topology.peers, [...topology.peers].sort(byName))
    for (const round of rounds) {
      for (const peer of topology.peers) {
        const { selfWeight, receiveFrom, sendTo } = topology.mixing(peer, round)
        const sum = receiveFrom.reduce((total, { weight }) => total + weight, selfWeight)
        t.true(Math.abs(sum - 1) < 1e-8, `${peer} in round ${round}: ${sum}`)
        t.true(receiveFrom.every(({ weight }) => weight > 0))
        const names = receiveFrom.map((neighbour) => neighbour.name)
        t.deepEqual(names, [...new Set(names)].sort(byName))
        const targets = sendTo.map(({ name }) => name)
        t.deepEqual(targets, [...new Set(targets)].sort(byName))
        t.false(names.includes(peer) || targets.includes(peer))
      }
    }
  })

  test(`${name}: a peer sends to just those that receive from it, by the same weights, round by round`, (t) => {
    for (const round of rounds) {
      const pairs = (edgesOf: (peer: (typeof topology.peers)[number]) => readonly string[]) =>
        topology.peers.flatMap((peer) => edgesOf(peer)).sort()
      t.deepEqual(
        pairs((peer) => topology.mixing(peer, round).sendTo.map(({ name, weight }) => `${peer} ${name} ${weight}`)),
        pairs((peer) => topology.mixing(peer, round).receiveFrom.map(({ name, weight }) => `${name} ${peer} ${weight}`))
      )
    }
  })

  test(`${name}: it repeats after its period, and knows no unknown peers`, (t) => {
    for (const peer of topology.peers) {
      for (let round = 0; round < topology.period; round++) {
        t.deepEqual(topology.mixing(peer, round + topology.period), topology.mixing(peer, round))
      }
    }
    t.throws(() => topology.mixing(peerName('nobody-of-that-name'), 0), { instanceOf: RangeError })
  })
}
