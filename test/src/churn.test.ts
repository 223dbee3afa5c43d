/** What the peers of a simulated swarm know of each other when many have crashed and come back. */
import type { PeerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { drawChurn } from '@murmuration/simulator'
import { consensusDistance } from '@murmuration/vectors'
import test from 'ava'
import { namesOf, runMembers, type SwarmEnd } from './member-swarm.js'

/** By peer, the peers that its last process considers dead in the end. */
function deadIn({ changes }: SwarmEnd, restarted: ReadonlyMap<PeerName, number>) {
  const dead = new Set<string>()
  for (const { at, by, change } of changes) {
    if (at < (restarted.get(by) ?? 0) || !('peer' in change)) continue
    if (change.kind === 'died') dead.add(`${change.peer} for ${by}`)
    if (change.kind === 'returned' || change.kind === 'joined') dead.delete(`${change.peer} for ${by}`)
  }
  return dead
}

test.serial(
  'when 40 peers no longer crash all end with one model, and no peer takes a living peer for dead',
  async (t) => {
    const peers = namesOf(40)
    const churn = { perMinute: 1, back: 3000, after: 3000, until: 14_000 }
    const events = drawChurn(createRandom(1, 'churn'), peers, churn)
    t.true(events.length > 10)
    const restarted = new Map(events.flatMap((event) => (event.kind === 'restart' ? [[event.peer, event.at]] : [])))
    const end = await runMembers({
      peers: 40,
      graph: { kind: 'random-regular', degree: 4, seed: 1 },
      gradient: 200,
      rounds: 160,
      finalRounds: 60,
      faults: { rules: [], events },
      membership: { forgetAfter: 4000 }
    })
    t.deepEqual([...end.lost.values()], [])
    t.deepEqual([...end.models.keys()].sort(), [...peers].sort())
    t.true(end.changes.some(({ change }) => change.kind === 'died'))
    t.deepEqual([...deadIn(end, restarted)], [])
    const apart = consensusDistance([...end.models.values()])
    t.true(apart < 1e-2, `${apart} apart`)
  }
)
