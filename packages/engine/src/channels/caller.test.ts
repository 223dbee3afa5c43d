import { type Envelope, peerName, type SendResult } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import type { Message } from '../record/record.js'
import { Caller } from './caller.js'
import { Everyone } from '../members/everyone.js'
import { MemberWaits } from '../members/member-waits.js'
import type { Participants } from '../members/participants.js'
import type { Expectation, Owner } from '../messages/owner.js'
import { PeerEdges } from '../edges/peer-edges.js'
import { Presence } from '../members/presence.js'
import { Arena } from '../vectors/vector.js'
import { firstVectorOf } from '../messages/wire.js'

const [a, b] = ['a', 'b'].map(peerName)
const kinds = { skip: 7, withdraw: 8 }

/**
 * Peer a with the neighbour b: what a has sent, and how often it has answered. Time advances only when a wait has no
 * event left.
 *
 * @param refuses - whether the channel has refusals, as that of states, and no edges
 */
function caller(refuses = false, members: Participants = new Everyone()) {
  const sent: VectorMessage[] = []
  const missed: string[] = []
  const counts = { answered: 0, accepted: 0 }
  const state = { now: 0, result: 'queued' as SendResult, events: [] as (() => void)[] }
  const memory = { allocate: (size: number) => new Float32Array(size), free: () => {} }
  const arena = new Arena(memory)
  const until = async <Outcome>(expectation: Expectation<Outcome>) => {
    while (!expectation.isDone()) {
      const event = state.events.shift()
      if (event === undefined && state.now >= expectation.deadline()) break
      if (event === undefined) state.now = expectation.deadline()
      else event()
    }
    return expectation.outcome()
  }
  const send = (_: unknown, message: VectorMessage) => {
    sent.push(message)
    return state.result
  }
  const presence = new Presence(members)
  const fabric = { ...memory, self: a, now: () => state.now, recycle: () => {}, reject: () => {} }
  const nothing = { unsent: () => {}, waited: () => {}, missed: () => missed.push(b), problemOf: () => undefined }
  const owner = { ...nothing, fabric, arena, presence, until, send, length: 1, ranges: [{ offset: 0, length: 1 }] }
  const traits = { name: 'swap', kind: 1, isReliable: false, refuses }
  const answer = () => {
    counts.answered++
    return { reply: x(9), accept: () => void counts.accepted++ }
  }
  const x = (value: number): Message => ({ x: arena.adopt(Float32Array.of(value)) })
  const shape = { ask: { x: 'vector' }, reply: { x: 'vector' } } as const
  const more = { timeout: 100, round: 0, rounds: 10, neighbours: new Set([b, peerName('c')]) }
  const moved = refuses ? undefined : { kinds, weight: 0.5 }
  const whole = { ...owner, ...more } as unknown as Owner
  const asking = new Caller(whole, traits, shape, answer, moved)
  const edges = new PeerEdges(whole)
  edges.add(asking.policy, kinds, Number.POSITIVE_INFINITY)
  const envelope = (round: number, value?: number, numbers: readonly number[] = []): Envelope<VectorMessage> => {
    return {
      from: b,
      message: { kind: 0, round, numbers, vector: Float32Array.from(value === undefined ? [] : [value]) }
    }
  }
  const control = (kind: number, round: number): Envelope<VectorMessage> => {
    return { from: b, message: { kind, round, vector: new Float32Array(0) } }
  }
  return { control, asking, presence, edges, state, sent, missed, counts, x, envelope }
}

const textOf = ({ kind, round, numbers = [] }: VectorMessage) => [kind, round, ...numbers].join(' ')

test('a reply that is on time is given, and nothing is open', async (t) => {
  const { asking, edges, state, x, envelope } = caller()
  state.events.push(() => asking.acceptReply(envelope(0, 5)))
  const reply = await asking.request(b, x(1))
  t.deepEqual([...(firstVectorOf(reply as Message)?.values ?? [])], [5])
  t.deepEqual(edges.owing, [])
})

test('a reply that is late is a flow of what was asked and replied, and the next request waits for it', async (t) => {
  const { asking, edges, sent, missed, x, envelope } = caller()
  t.is(await asking.request(b, x(1)), undefined)
  t.deepEqual([missed, edges.owing], [[b], [b]])
  t.is(await asking.request(b, x(2)), undefined)
  t.deepEqual(sent.map(textOf), ['1 0', '8 0'])
  asking.acceptReply(envelope(0, 5))
  const flows = asking.policy.takeFlows().map(({ weight, mine, theirs }) => [weight, mine, theirs].map(valueOf))
  t.deepEqual([flows, edges.owing], [[[0.5, 1, 5]], []])
})

test('where refusals are sent, each silence doubles the wait for the peer, up to 16 timeouts, and the end of the peer ends it', async (t) => {
  let isGone = false
  const seen = { awake: (at: number) => at, chainBehind: () => 0, lostTime: () => {} }
  class Coming extends Everyone {
    override readonly waits = new MemberWaits(seen)
    override isGone(): boolean {
      return isGone
    }
  }
  const { asking, state, x } = caller(true, new Coming())
  const waits: number[] = []
  const ask = async () => {
    const start = state.now
    t.is(await asking.request(b, x(1)), undefined)
    waits.push(state.now - start)
  }
  for (let count = 0; count < 6; count++) await ask()
  state.events.push(() => (isGone = true))
  await ask()
  t.deepEqual(waits, [100, 200, 400, 800, 1600, 1600, 0])
})

const valueOf = (part: number | Message) => (typeof part === 'number' ? part : firstVectorOf(part)?.values[0])

test('SKIP ends a wait at once and blames nobody, and cancels what is owed', async (t) => {
  const { control, asking, edges, state, missed, x, envelope } = caller()
  state.events.push(() => edges.accept(control(kinds.skip, 0)))
  t.is(await asking.request(b, x(1)), undefined)
  t.deepEqual([state.now, missed, edges.owing], [0, [], []])
  await asking.request(b, x(1))
  t.deepEqual(edges.owing, [b])
  edges.accept(control(kinds.skip, 1))
  t.deepEqual(edges.owing, [])
  asking.acceptReply(envelope(1, 5))
  t.deepEqual(asking.policy.takeFlows(), [])
})

test('a new life of the other end ends a wait, and what was open with the one before', async (t) => {
  const { asking, edges, state, missed, x, envelope } = caller()
  state.events.push(() => edges.newLife(b, 2))
  t.is(await asking.request(b, x(1)), undefined)
  t.deepEqual([state.now, missed], [0, []])
  asking.acceptReply(envelope(0, 5))
  t.deepEqual(asking.policy.takeFlows(), [])
})

test('who replies has moved only once the reply is under way', (t) => {
  const { asking, state, counts, envelope } = caller()
  asking.acceptAsk(envelope(0, 1))
  state.result = 'full'
  asking.acceptAsk(envelope(1, 1))
  t.deepEqual(counts, { answered: 2, accepted: 1 })
})

test('who pauses, or is asked in another life, answers SKIP and does not move; who is asked whether a reply comes says SKIP', (t) => {
  const { control, asking, edges, sent, counts, envelope } = caller()
  edges.pause(true)
  asking.acceptAsk(envelope(0, 1))
  edges.pause(false)
  asking.acceptAsk(envelope(1, 1, [0, 1, 4]))
  edges.accept(control(kinds.withdraw, 2))
  t.deepEqual(sent.map(textOf), ['7 0', '7 1', '7 2'])
  t.is(counts.answered, 0)
})
