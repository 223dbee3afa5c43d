import { NeighboursMissingError, peerName } from '@murmuration/core'
import test from 'ava'
import { Mailbox } from '../channels/mailbox.js'
import type { Expectation, Owner } from '../messages/owner.js'
import type { Mixing } from '../record/record.js'
import { Arena } from '../vectors/vector.js'
import { Everyone } from './everyone.js'
import type { Participants } from './participants.js'
import { Presence } from './presence.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)
const timeout = 100

/**
 * Peer a, which waits for b and c of which these send: when its wait has ended, whom it has missed, or the error.
 *
 * @param senders - send at once
 */
async function collect(members: Participants, senders: readonly (typeof a)[]) {
  let now = 0
  const missed: string[] = []
  const arena = new Arena({ allocate: (size: number) => new Float32Array(size), free: () => {} })
  const until = async <Outcome>(expectation: Expectation<Outcome>) => {
    while (!expectation.isDone() && now < expectation.deadline()) now = expectation.deadline()
    return expectation.outcome()
  }
  const owner = {
    arena,
    until,
    timeout,
    length: 1,
    round: 0,
    rounds: 9,
    ranges: [{ offset: 0, length: 1 }],
    fabric: { self: a, now: () => now, recycle: () => {}, free: () => {} },
    presence: new Presence(members),
    missed: (peers: readonly string[]) => missed.push(...peers),
    waited: () => {},
    unsent: () => {},
    send: () => 'queued',
    collected: () => [],
    problemOf: () => undefined
  } as unknown as Owner
  const box = new Mailbox(owner, { name: 'model', kind: 1, isReliable: false }, { x: 'vector' })
  const W = { peer: a, round: 0, own: 0.5, to: [b, c], from: [b, c], row: () => 0.25, column: () => 0.25 } as Mixing
  box.send(W, { x: arena.adopt(new Float32Array(1)) })
  for (const from of senders) box.accept({ from, message: { kind: 1, round: 0, vector: new Float32Array(1) } })
  const error = await box.collect(W).then(
    () => undefined,
    (thrown: unknown) => thrown
  )
  return { now, missed, error }
}

test('where nobody comes or goes, a peer that hears no other waits for two timeouts, and does not go on alone', async (t) => {
  const { now, error } = await collect(new Everyone(), [])
  t.is(now, 2 * timeout)
  t.true(error instanceof NeighboursMissingError)
  t.regex(String(error), /has no other neighbour left; it does not train alone/)
  t.deepEqual(await collect(new Everyone(), [b]), { now: timeout, missed: [c], error: undefined })
  t.deepEqual(await collect(new Everyone(), [b, c]), { now: 0, missed: [], error: undefined })
})

test('where peers may return, the members say what becomes of a peer that hears no other', async (t) => {
  class Returning extends Everyone {
    override readonly mayReturn = true
  }
  t.deepEqual(await collect(new Returning(), []), { now: 2 * timeout, missed: [b, c], error: undefined })
})
