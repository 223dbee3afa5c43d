import test from 'ava'
import { Swarm } from './swarm.test.support.js'

test('peers that start at different times begin round 0 together, and none is missing', (t) => {
  const swarm = new Swarm({ seed: 1, count: 6, startAt: (index) => index * 2000 }).runUntil(9_900)
  for (const { member } of swarm.trainers.values()) {
    t.is(member.state, 'starting')
    t.deepEqual(member.missing, swarm.names.slice(5))
  }
  swarm.runUntil(15_000)
  for (const { member, round } of swarm.trainers.values()) {
    t.is(member.state, 'healthy')
    t.true(round > 10)
  }
  t.deepEqual(swarm.faults, [])
})
