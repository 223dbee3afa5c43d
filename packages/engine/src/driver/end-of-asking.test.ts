import { peerName } from '@murmuration/core'
import test from 'ava'
import { EndOfAsking } from './end-of-asking.js'
import { Everyone } from '../members/everyone.js'
import { Laggards } from '../members/laggards.js'
import type { Endings } from '../members/participants.js'
import type { Handler } from '../messages/inbox.js'
import { SmallList } from '../vectors/small-list.js'
import type { Peer } from './peer.js'
import { Presence } from '../members/presence.js'
import type { TrainingSettings } from './training.js'

const [self, b] = ['a', 'b'].map(peerName)
const timeout = 30_000

/** How long a finished peer waits for another, which sends a message per second and reports its round. */
async function waitFor(roundAt: (now: number) => number): Promise<number> {
  let now = 0
  class Reporting extends Everyone {
    override endings(end = 0): Endings {
      return new Laggards(end, 8, () => roundAt(now))
    }
  }
  const presence = new Presence(new Reporting())
  const fabric = { self, now: () => now, send: () => 'queued' }
  /** A message arrives at every full second. */
  const until: Peer['until'] = async (expectation) => {
    while (!expectation.isDone()) {
      const next = 1000 * (Math.floor(now / 1000) + 1)
      if (now > 1e8) throw new Error('it waits forever')
      if (next > expectation.deadline()) {
        now = Math.max(now, expectation.deadline())
        break
      }
      now = next
      presence.heard(b)
    }
    return expectation.outcome()
  }
  let waited = 0
  const rest = { fabric, until, waited: (time: number) => (waited += time) }
  const peer = {
    handlers: new SmallList<Handler>(1),
    presence,
    timeout,
    mixings: { neighbours: new Set([b]) },
    ...rest
  }
  const settings = { algorithm: { answers: {} }, workers: [self, b] }
  await new EndOfAsking(peer as unknown as Peer, settings as unknown as TrainingSettings, 0).reach(100)
  if (waited !== now) throw new Error(`it waited ${now} ms and counts ${waited}`)
  return now
}

test('whoever sends on and never comes nearer to its end keeps nobody', async (t) => {
  t.true((await waitFor(() => 0)) <= 3 * timeout)
})

test('whoever comes nearer to its end is waited for', async (t) => {
  const perRound = 1.5 * timeout
  const end = await waitFor((now) => Math.min(100, 95 + Math.floor(now / perRound)))
  t.true(end >= 5 * perRound && end < 5 * perRound + timeout, `${end}`)
})
