import { peerName } from '@murmuration/core'
import { checksumOf } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import type { Member } from '@murmuration/membership'
import { CatchingUp } from '../members/catching-up.js'
import { Everyone } from '../members/everyone.js'
import type { MembersOptions } from '../members/members-options.js'
import type { TraineeRun } from '../members/participants.js'
import type { Expectation } from '../messages/owner.js'
import { TrainedPeer } from './trained-peer.js'
import { SmallList } from '../vectors/small-list.js'
import type { Peer } from './peer.js'
import { Arena } from '../vectors/vector.js'

const donor = peerName('a')
const stateKind = 7
const none = () => {}

const theirs = Float32Array.of(1, 1)
/** The end of a test: the model that the peer continues from, and what it has sent. */
interface End {
  readonly model: number | undefined
  readonly sent: readonly VectorMessage[]
}

/**
 * What a peer with the model 5 continues from. Its share is 0.8 for ten seconds; the model of the other side is 1,
 * takes `transfer` milliseconds to arrive, and has this checksum. At the end the peer is asked for its own.
 */
async function merged(transfer: number, checksum = checksumOf(theirs), round = 60): Promise<End> {
  let now = 0
  const sent: VectorMessage[] = []
  let asked: VectorMessage | undefined
  let end: number | undefined
  const memory = { allocate: (length: number) => new Float32Array(length), free: none }
  const arena = new Arena(memory)
  const handlers = new SmallList<{ accept(envelope: unknown): void }>(1)
  const peer = {
    handlers,
    arena,
    length: 2,
    ranges: [{ offset: 0, length: 2 }],
    rounds: 1000,
    timeout: 30_000,
    round: 50,
    mixings: {},
    waited: none,
    unsent: none,
    missed: none,
    problemOf: none,
    fabric: { ...memory, self: peerName('b'), now: () => now, sleep: none, reject: none, recycle: none },
    presence: { members: new Everyone(), messages: 0, heard: none },
    send: (_: unknown, message: VectorMessage) => {
      asked = message
      sent.push(message)
      return 'queued'
    },
    until: (expectation: Expectation<unknown>) => {
      const message = {
        round: asked?.round,
        part: 0,
        field: 0,
        numbers: [round, checksum],
        offset: 0,
        vector: theirs.slice()
      }
      if (asked !== undefined) {
        now += transfer
        asked = undefined
        handlers.at(stateKind + 1)?.accept({ from: donor, message: { ...message, kind: stateKind + 1 } })
      }
      return Promise.resolve(expectation.outcome())
    }
  }
  const reunion = { peers: [donor], mass: 2 / 3, side: 1, isAhead: false, round }
  const member = {
    contacts: [donor],
    present: [donor],
    settings: { lag: Number.POSITIVE_INFINITY },
    recordOf: () => ({ name: donor, round, isIn: true }),
    get reunion() {
      return now < 10_000 ? reunion : undefined
    }
  }
  const run: TraineeRun = {
    seed: 1,
    rounds: 1000,
    every: 1,
    round: 50,
    isAtOwnPace: false,
    end: { isNear: () => false },
    isFinal: () => false,
    nextExchange: (next) => next,
    current: () => ({ x: arena.adopt(Float32Array.of(5, 5)), round: 50 }),
    continueFrom: ({ x }) => void (end = x.values[0])
  }
  const trainee = new TrainedPeer(peer as unknown as Peer, run, stateKind)
  trainee.open(none as never, () => true)
  const catchingUp = new CatchingUp(member as unknown as Member, trainee, peerName('b'), {} as MembersOptions)
  const at = () => now
  await catchingUp.take(donor, { now: at, wait: () => Promise.resolve(), hail: none, hasReported: () => true })
  const ask = { kind: stateKind, round: 0, part: 0, field: 0, numbers: [], offset: 0, vector: new Float32Array(0) }
  handlers.at(stateKind)?.accept({ from: donor, message: ask })
  return { model: end, sent }
}

test('a model of the other side that comes when the reunion is over is merged all the same, and replaces nothing', async (t) => {
  for (const transfer of [2000, 12_000])
    t.is((await merged(transfer)).model, Math.fround(0.8 * 5 + 0.2), `${transfer} ms`)
})

test('a model goes out bit by bit whatever the codec, with its checksum; one that is not what its peer had is not taken', async (t) => {
  const { sent } = await merged(0)
  t.like(sent.at(-1), { kind: stateKind + 1, numbers: [50, checksumOf(Float32Array.of(5, 5))], packed: true })
  t.is((await merged(0, checksumOf(theirs) + 1)).model, undefined)
})

test('a model of a round that no run has is not taken', async (t) => {
  for (const round of [-1, 0.5, 1001, 2 ** 53, Number.NaN])
    t.is((await merged(0, checksumOf(theirs), round)).model, undefined, `${round}`)
})
