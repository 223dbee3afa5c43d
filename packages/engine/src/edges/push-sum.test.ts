import { peerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import type { Message, Mixing } from '../record/record.js'
import { Mailbox } from '../channels/mailbox.js'
import type { Owner } from '../messages/owner.js'
import { Presence } from '../members/presence.js'
import { PeerEdges } from './peer-edges.js'
import { Arena } from '../vectors/vector.js'
import { firstVectorOf } from '../messages/wire.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)
const kinds = { skip: 7, withdraw: 8 }

/** Peer a of a ring: what it has sent, and what has arrived late. */
function mailbox() {
  const sent: string[] = []
  const faults: string[] = []
  const arena = new Arena({ allocate: (size: number) => new Float32Array(size), free: () => {} })
  const fabric = {
    self: a,
    now: () => 0,
    reject: ({ from }: { readonly from: string }, reason: string) => faults.push(`${from}: ${reason}`),
    recycle: () => {},
    free: () => {}
  }
  const owner = {
    fabric,
    arena,
    presence: new Presence(),
    length: 1,
    round: 0,
    rounds: 100,
    timeout: 100,
    ranges: [{ offset: 0, length: 1 }],
    until: (expectation: { outcome(): unknown }) => expectation.outcome(),
    send: (to: string, { kind, round }: VectorMessage) => {
      sent.push(`${kind} ${round} ${to}`)
      return 'queued'
    },
    unsent: () => {},
    waited: () => {},
    missed: () => {},
    collected: () => [],
    problemOf: () => undefined
  } as unknown as Owner
  const traits = { name: 'mass', kind: 1, isReliable: false }
  const box = new Mailbox(owner, traits, { x: 'vector', w: 'number' }, { kinds, late: 'added' })
  const edges = new PeerEdges(owner)
  edges.add(box.policy, kinds)
  const mixing = (round: number, others = [b, c], offer?: number): Mixing => {
    const filed = { filedTo: [b, c], filedFrom: [b, c] }
    return { peer: a, round, own: 0.5, to: others, from: others, row: () => 0.25, column: () => 0.25, offer, ...filed }
  }
  const send = (W: Mixing) => box.send(W, { x: arena.adopt(Float32Array.of(1)), w: 1 })
  const receive = (from: typeof a, round: number, x: number, w = 1, terms: readonly number[] = []) =>
    box.accept({ from, message: { kind: 1, round, numbers: [w, ...terms], vector: Float32Array.of(x) } })
  const skip = (from: typeof a, round: number, kind = kinds.skip) =>
    edges.accept({ from, message: { kind, round, vector: new Float32Array(0) } })
  const late = () => box.policy.takeFlows().map(({ from, theirs }) => [from, ...valuesOf(theirs)])
  return { box, edges, sent, faults, mixing, send, receive, skip, late }
}

const valuesOf = (message: Message) => [firstVectorOf(message)?.values[0], message.w]

test('what comes late, of nobody’s row or after the last round is summed up by sender, whole, and once', async (t) => {
  const { box, edges, faults, mixing, send, receive, late } = mailbox()
  send(mixing(0, [b]))
  receive(b, 0, 1)
  receive(c, 0, 2, 0.5)
  const theirs = await box.collect(mixing(0, [b]))
  t.deepEqual([Object.keys(theirs), late()], [[b], [[c, 2, 0.5]]])
  send(mixing(2))
  receive(c, 2, 7)
  await box.collect(mixing(2))
  receive(b, 1, 4)
  receive(b, 2, 5, 0.5)
  receive(b, 2, 5, 0.5)
  t.deepEqual([late(), faults], [[[b, 9, 1.5]], ['b: parameters of round 2 are duplicate']])
  receive(b, 7, 1)
  edges.leave()
  receive(b, 9, 3)
  t.deepEqual(late(), [[b, 4, 2]])
})

test('what a later life sends is used, also of rounds in which the one before has sent', (t) => {
  const { faults, mixing, send, receive, late } = mailbox()
  receive(b, 3, 1)
  send(mixing(4))
  receive(b, 2, 2, 1, [0, 2, 1])
  t.deepEqual([late(), faults], [[[b, 2, 1]], []])
})

test('who is left out of a row is told so, and who sends along an edge that this peer does not know', (t) => {
  const { sent, mixing, send, receive } = mailbox()
  send(mixing(0, [b], 0.5))
  t.deepEqual(sent, ['1 0 b', '7 0 c'])
  receive(peerName('d'), 0, 1)
  t.deepEqual(sent.slice(2), ['7 0 d'])
})

test('who leaves this peer out is sent nothing, is told so, and keeps nobody waiting, until it sends again', (t) => {
  const { box, sent, mixing, send, receive, skip } = mailbox()
  send(mixing(0))
  t.true(box.policy.isAwaited(b))
  skip(b, 1)
  t.deepEqual(send(mixing(1)), [b])
  t.false(box.policy.isAwaited(b))
  t.deepEqual(sent, ['1 0 b', '1 0 c', '8 1 b', '1 1 c'])
  receive(b, 2, 1)
  t.deepEqual(send(mixing(2)), [])
})

test('who is left out by all keeps what it has', (t) => {
  const { mixing, send, skip } = mailbox()
  skip(b, 0)
  skip(c, 0)
  t.deepEqual(send({ ...mixing(0), to: [peerName('e')] }), ['e'])
})

test('a new life of a sender ends the wait for it', (t) => {
  const { box, edges, mixing, send } = mailbox()
  send(mixing(0))
  edges.newLife(b, 2)
  t.deepEqual([box.policy.isAwaited(b), box.policy.isAwaited(c)], [false, true])
})
