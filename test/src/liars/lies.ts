/** Kinds of lies, one at a time. */
import type { Milliseconds } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { type FabricLie, type Sending, type LiarView, signedVote } from './lying-fabric.js'

/** The kinds of D-PSGD's messages, by their numbers on the wire. */
const kinds = { vectors: [1, 2], skipOf: { 1: 3, 2: 5 } as Readonly<Record<number, number>>, state: 8 }

const isVector = ({ kind }: VectorMessage) => kinds.vectors.includes(kind)

/** "I take no part in this round", in place of a vector. */
function skip({ kind, round, part, numbers = [] }: VectorMessage): VectorMessage {
  const lives = numbers.length === 3 ? [0, numbers[1], numbers[2]] : []
  const place = part === undefined ? { round } : { round, part }
  return { kind: kinds.skipOf[kind], ...place, numbers: lives, vector: new Float32Array(0) }
}

/** A changed reply to a peer that asks for a state. */
const state =
  (change: (message: VectorMessage) => Partial<VectorMessage>): NonNullable<FabricLie['send']> =>
  (message): Sending => ({ message: message.kind === kinds.state ? { ...message, ...change(message) } : message })

/** A vote against each of the others at its present standing. */
const votesAgainstAll = ({ self, others, last, signer }: LiarView) =>
  others.flatMap((target) => {
    const record = last.get(target)
    if (record === undefined) return []
    const { life, refutation } = record
    return [signedVote({ voter: self, target, life, refutation }, signer)]
  })

/** Votes of each of the others against the next, signed with the liar's key. */
const forgedVotes = ({ others, signer }: LiarView) =>
  others.map((voter, place) => {
    const target = others[(place + 1) % others.length]
    return { ...signedVote({ voter, target, life: 1, refutation: 0 }, signer) }
  })

/** By what a liar does. `timeout` is that of the run. */
export const liesFor = (timeout: Milliseconds): Readonly<Record<string, FabricLie>> => ({
  'sends no vector': { send: (message) => (isVector(message) ? {} : { message }) },
  'says SKIP at the last moment': {
    send: (message) => (isVector(message) ? { message: skip(message), after: 0.97 * timeout } : { message })
  },
  'is silent for 6 s of every 7': { isMute: ({ age }) => age % 7000 > 1000 },
  'says that it is in round 1,000,000': { record: () => ({ round: 1e6 }) },
  'never ends': { record: (_, { age }) => ({ round: Math.floor(age / 500), status: 'here', isIn: true }) },
  'votes against all': { adds: (sight) => ({ votes: votesAgainstAll(sight) }) },
  'tells some that it is here and others that it has left': {
    record: (_, __, number) => (number % 2 === 0 ? { status: 'left' } : {})
  },
  'begins a new life ten times a second': { record: (_, { age }) => ({ life: 2 + Math.floor(age / 100) }) },
  'waits for all, as it says, and sends no vector': {
    record: (record, { others }) => ({ round: Math.max(0, record.round - 1), waitsFor: others.slice(0, 8) }),
    send: (message) => (isVector(message) ? {} : { message })
  },
  'names all as broken': { record: (_, { others }) => ({ broken: others.slice(0, 8) }) },
  'names all as late': { record: (_, { others }) => ({ silent: others.slice(0, 8) }) },
  'forges the votes of others': { adds: (sight) => ({ votes: forgedVotes(sight) }) },
  'replays old records of others': { adds: ({ first }) => ({ records: [...first.values()] }) },
  'sends notes of 40 KiB': { text: () => 'x'.repeat(40_000) },
  'sends notes that are not JSON': { text: (text) => text.slice(0, -1) },
  'gives a state of a later round': {
    send: state(({ numbers: [w, round] = [1, 0] }) => ({ numbers: [w, 2 * round + 900] }))
  },
  'gives a state that is not a number': { send: state(({ vector }) => ({ vector: vector.map(() => Number.NaN) })) },
  'gives a state that is too short': { send: state(({ vector }) => ({ vector: vector.subarray(1) })) }
})
