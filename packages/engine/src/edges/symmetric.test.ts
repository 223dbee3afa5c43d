import { type Envelope, peerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import type { Mixing } from '../record/record.js'
import { Mailbox } from '../channels/mailbox.js'
import type { Owner } from '../messages/owner.js'
import { Presence } from '../members/presence.js'
import { PeerEdges } from './peer-edges.js'
import { Arena } from '../vectors/vector.js'
import { edgeWeight, mix, without } from '../messages/mixing.js'
import { firstVectorOf } from '../messages/wire.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)
const kinds = { skip: 7, withdraw: 8 }
const rounds = 100
const length = 4

/** Peer a with the neighbour b: what a has sent, and whose faults it has counted. */
function mailbox(offer?: number) {
  const sent: VectorMessage[] = []
  const faults: string[] = []
  const clock = { now: 0 }
  let freed = 0
  const memory = { allocate: (size: number) => new Float32Array(size), free: () => void freed++ }
  const arena = new Arena(memory)
  const fabric = {
    ...memory,
    self: a,
    now: () => clock.now,
    reject: ({ from }: Envelope<VectorMessage>, reason: string) => faults.push(`${from}: ${reason}`),
    recycle: () => void freed++
  }
  const owner = {
    fabric,
    arena,
    presence: new Presence(),
    length,
    round: 0,
    rounds,
    ranges: [{ offset: 0, length }],
    timeout: 100,
    send: (_: unknown, message: VectorMessage) => {
      sent.push(message)
      return 'queued'
    },
    unsent: () => {},
    problemOf: () => undefined,
    until: (expectation: { outcome(): unknown }) => expectation.outcome(),
    waited: () => {},
    missed: () => {},
    collected: () => []
  } as unknown as Owner
  const traits = { name: 'model', kind: 1, isReliable: false }
  const edges = new PeerEdges(owner)
  const box = new Mailbox(owner, traits, { x: 'vector' }, { kinds, late: 'owed' })
  edges.add(box.policy, kinds)
  const accept = (message: Envelope<VectorMessage>) => edges.accept(message)
  const mixing = (round: number): Mixing => {
    return { peer: a, round, own: 0.5, to: [b], from: [b], row: () => 0.5, column: () => 0.5, offer }
  }
  const send = (round: number, others: Partial<Mixing> = {}) =>
    box.send({ ...mixing(round), ...others }, { x: arena.adopt(new Float32Array(length)) })
  const receive = (from: typeof a, round: number, numbers: readonly number[] = []) =>
    box.accept({ from, message: { kind: 1, round, numbers, vector: new Float32Array(length) } })
  return { box, edges, accept, arena, clock, sent, faults, mixing, send, receive }
}

function control(from: typeof a, message: Partial<VectorMessage>): Envelope<VectorMessage> {
  return { from, message: { kind: 0, round: 0, vector: new Float32Array(0), ...message } }
}

const textOf = ({ kind, round, numbers = [] }: VectorMessage) => [kind, round, ...numbers].join(' ')

test('an offer that is not the topology’s travels beside the vector, and nothing travels without one', (t) => {
  const plain = mailbox()
  const repaired = mailbox(0.25)
  plain.send(0)
  repaired.send(0)
  t.deepEqual([...plain.sent, ...repaired.sent].map(textOf), ['1 0', '1 0 0.25'])
})

test('a copied message keeps the weight on which both ends have agreed', async (t) => {
  const { box, arena, mixing, send, receive } = mailbox()
  send(0)
  receive(b, 0, [0.25])
  const W = mixing(0)
  const theirs = await box.collect(W)
  const mine = { x: arena.adopt(Float32Array.of(1, 1, 1, 1)) }
  const copies = { ...theirs, [b]: { ...theirs[b] } }
  for (const each of [theirs, copies, without(copies, c)]) {
    t.is(edgeWeight(W, b, each), 0.25)
    t.deepEqual(firstVectorOf(mix(W, mine, each))?.values[0], 0.75)
  }
})

test('every message that will not be used is answered with SKIP: of nobody’s round, too early, and of one that was told so', (t) => {
  const { accept, sent, send, receive } = mailbox()
  send(0)
  receive(c, 0)
  receive(b, 99)
  accept(control(b, { kind: kinds.withdraw, round: 3 }))
  t.deepEqual(sent.slice(1).map(textOf), ['7 0', '7 99', '7 3'])
  receive(b, 2)
  send(2)
  t.deepEqual(sent.slice(4).map(textOf), ['7 2'], 'SKIP was said of round 3, and so of all before it')
})

test('who asks for what was sent hears SKIP: it has arrived, or is lost', (t) => {
  const { accept, sent, send } = mailbox()
  send(0)
  send(1)
  for (const round of [0, 1]) accept(control(b, { kind: kinds.withdraw, round }))
  t.deepEqual(sent.slice(2).map(textOf), ['7 0', '7 1'])
})

test('a message of an earlier life, or to one, is dropped, and a new life makes the edge anew', (t) => {
  const { accept, sent, send, receive } = mailbox()
  send(0)
  receive(b, 1, [0, 2, 1])
  receive(b, 1, [0, 1, 1])
  receive(b, 1, [0, 2, 5])
  t.is(sent.length, 1)
  accept(control(b, { kind: kinds.withdraw, round: 1, numbers: [0, 2, 1] }))
  t.deepEqual(sent.slice(1).map(textOf), ['7 1 0 1 2'])
})

test('answers that make no sense are their sender’s fault, and change nothing', (t) => {
  const { edges, accept, sent, faults } = mailbox()
  const wrong: Partial<VectorMessage>[] = [
    { vector: new Float32Array(1) },
    { round: rounds },
    { numbers: [1, 2] },
    { numbers: [0, 0, 1] },
    { numbers: [2] },
    { numbers: [0.5] },
    { numbers: [0.5, 1, 1] },
    { field: 1 }
  ]
  for (const message of wrong) {
    accept(control(b, { ...message, kind: kinds.skip }))
    accept(control(b, { ...message, kind: kinds.withdraw }))
  }
  t.deepEqual([sent.length, faults.length], [0, 2 * wrong.length])
  accept(control(b, { kind: kinds.skip, round: 9 }))
  t.deepEqual(edges.owing, [])
})

test('terms that make no sense are their sender’s fault', (t) => {
  const { send, receive, faults } = mailbox()
  send(0)
  const wrong = [[Number.NaN], [-1], [2], [0], [0.5, 1], [0.5, 1.5, 1], [0.5, 1, 1, 1]]
  for (const numbers of wrong) receive(b, 0, numbers)
  t.is(faults.length, wrong.length)
})

test('a flood for rounds to come keeps one vector for each of 64 rounds at most', (t) => {
  const { arena, send, receive } = mailbox()
  send(0)
  const before = arena.size
  for (let round = 1; round < rounds; round++) receive(b, round)
  arena.sweep(true)
  t.true(arena.size - before <= 64, `${arena.size}`)
})

test('what is owed is saved with a session, and left out of a checkpoint', (t) => {
  const first = mailbox(0.25)
  first.send(0, { row: () => 0.25, filed: () => 0.0625 })
  first.box.policy.close([b], { x: first.arena.adopt(Float32Array.of(1, 2, 3, 4)) }, 0)
  t.deepEqual(first.edges.owing, [b])
  const flowsAfter = (early: 'with early' | 'without early', offer: readonly number[] = []) => {
    const { box, receive } = mailbox()
    box.restore(first.box.saved(early))
    receive(b, 0, offer)
    return box.policy
      .takeFlows()
      .map(({ from, round, weight, mine }) => [from, round, weight, [...(firstVectorOf(mine)?.values ?? [])]])
  }
  t.deepEqual(flowsAfter('with early'), [[b, 0, 0.0625, [1, 2, 3, 4]]])
  t.deepEqual(flowsAfter('with early', [0.125]), [[b, 0, 0.125, [1, 2, 3, 4]]])
  t.deepEqual(flowsAfter('with early', [0.5]), [[b, 0, 0.25, [1, 2, 3, 4]]])
  t.deepEqual(flowsAfter('without early'), [])
})

test('what is late of several rounds is applied of each, in their order and once, with the smaller offer', (t) => {
  const { box, arena, send, receive } = mailbox(0.25)
  const owe = (round: number, filed: number) => {
    const mine = { x: arena.adopt(Float32Array.of(round, 2, 3, 4)) }
    send(round, { row: () => 0.25, filed: () => filed })
    box.policy.close([b], mine, 0)
  }
  owe(0, 0.375)
  receive(b, 0)
  owe(1, 0.375)
  receive(b, 1, [0.125])
  owe(2, 0.375)
  receive(b, 2, [0.5])
  owe(3, 0.0625)
  receive(b, 3)
  const taken = () =>
    box.policy.takeFlows().map(({ from, round, weight, mine }) => [from, round, weight, firstVectorOf(mine)?.values[0]])
  t.deepEqual(taken(), [
    [b, 0, 0.25, 0],
    [b, 1, 0.125, 1],
    [b, 2, 0.25, 2],
    [b, 3, 0.0625, 3]
  ])
  t.deepEqual(taken(), [])
})

test('who owes is asked at once, and again each time that a timeout has passed since', (t) => {
  const { box, arena, clock, sent, send } = mailbox()
  send(0)
  box.policy.close([b], { x: arena.adopt(new Float32Array(length)) }, 0)
  const asked = [0, 50, 99, 100, 150, 199, 201, 300, 301].map((now, index) => {
    clock.now = now
    send(1 + index)
    return sent
      .splice(0)
      .filter(({ kind }) => kind === kinds.withdraw)
      .map(textOf)
  })
  t.deepEqual(asked, [['8 0'], [], [], ['8 0'], [], [], ['8 0'], [], ['8 0']])
})

test('what is late of several peers is ordered by their names', (t) => {
  const { box, arena, send, receive } = mailbox()
  send(0, { to: [b, c], from: [b, c] })
  box.policy.close([b, c], { x: arena.adopt(new Float32Array(length)) }, 0)
  for (const peer of [c, b]) receive(peer, 0)
  t.deepEqual(
    box.policy.takeFlows().map(({ from }) => from),
    [b, c]
  )
})

test('while an edge has a debt nothing more is sent on it, and a later message cancels the older debt alone', (t) => {
  const { edges, box, arena, sent, send, receive } = mailbox()
  const both = { to: [b, c], from: [b, c] }
  send(0, both)
  box.policy.close([b, c], { x: arena.adopt(new Float32Array(length)) }, 0)
  send(1, both)
  t.deepEqual(sent.filter(({ kind }) => kind === 1).map(textOf), ['1 0', '1 0'])
  t.deepEqual(edges.owing, [b, c])
  receive(b, 1)
  t.deepEqual(edges.owing, [c])
  receive(c, 0)
  t.deepEqual(
    box.policy.takeFlows().map(({ from, round }) => [from, round]),
    [[c, 0]]
  )
})

/** Peer a receives from b and sends to c. */
const oneWay = { from: [b], to: [c], filedFrom: [b], filedTo: [c] }

test('of an edge that goes one way nothing is awaited any more once its sender has said SKIP, gone on or begun anew', (t) => {
  const outcomes = [
    ({ accept }: ReturnType<typeof mailbox>) => accept(control(b, { kind: kinds.skip, round: 2 })),
    ({ receive }: ReturnType<typeof mailbox>) => receive(b, 3),
    ({ box }: ReturnType<typeof mailbox>) => box.policy.step({ kind: 'life', peer: b, life: 2 })
  ].map((act) => {
    const given = mailbox()
    given.send(1, oneWay)
    given.receive(b, 1)
    given.send(2, oneWay)
    const before = given.box.policy.isAwaited(b)
    act(given)
    return [before, given.box.policy.isAwaited(b), given.faults.length]
  })
  t.deepEqual(outcomes, new Array(3).fill([true, false, 0]))
})

test('what was said before its round begins counts in it', (t) => {
  const { accept, box, send, receive } = mailbox()
  send(0, oneWay)
  accept(control(b, { kind: kinds.skip, round: 2 }))
  send(1, oneWay)
  t.is(box.policy.isAwaited(b), false, 'links deliver in order')
  receive(b, 4)
  send(3, oneWay)
  t.false(box.policy.isAwaited(b))
  send(5, oneWay)
  t.true(box.policy.isAwaited(b))
})

test('who receives of this peer one way and is left out of its repaired row hears SKIP; with others both ends say X', (t) => {
  const { sent, send } = mailbox(0.25)
  send(0, { ...oneWay, to: [] })
  send(1, { ...oneWay, to: [], filedFrom: [b, c] })
  t.deepEqual(sent.map(textOf), ['7 0'])
})

test('a sender whose row is repaired hears that this peer sends it nothing', (t) => {
  const now = mailbox()
  const early = mailbox()
  now.send(0, oneWay)
  now.receive(b, 0, [0.5])
  early.send(0, oneWay)
  early.receive(b, 1, [0.5])
  early.send(1, oneWay)
  t.deepEqual(
    [now, early].map(({ sent }) => sent.map(textOf)),
    [
      ['1 0', '7 0'],
      ['1 0', '1 1', '7 1']
    ]
  )
})
