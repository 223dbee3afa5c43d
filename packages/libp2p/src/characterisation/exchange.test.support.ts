import { timeLimit } from '@murmuration/contract'
import type { PeerName } from '@murmuration/core'
import type { PeerEvent } from '../base/events.js'
import { type TestNode, schemaOf } from '../cluster.test.support.js'
import type { PeerOptions } from '../peer.js'
import type { RunSettings } from '../base/run-settings.js'

/** A model of one tensor with `bytes` bytes. */
export const runSettingsOf = (bytes: number): RunSettings => ({
  settings: { run: 'r' },
  schema: schemaOf(bytes / 4),
  start: '0'
})

/** Options of peers that exchange vectors of `bytes` bytes. */
export const large = (bytes: number, limits: PeerOptions['limits'] = {}) => ({
  runSettings: runSettingsOf(bytes),
  limits
})

/** The number at `index` of the vector of a round: a whole number below 2^24, so that float32 holds it. */
const numberAt = (round: number, index: number) => (Math.imul(index + 1, 2_654_435_761) ^ (round * 7_919)) >>> 8

/** A vector of `bytes` bytes in which every number depends on its index and on the round. */
export function vectorOf(round: number, bytes: number): Float32Array {
  const vector = new Float32Array(bytes / 4)
  for (let index = 0; index < vector.length; index++) vector[index] = numberAt(round, index)
  return vector
}

/** Whether every number is that of `vectorOf`. */
export function isWhole(round: number, vector: Float32Array): boolean {
  for (let index = 0; index < vector.length; index++) if (vector[index] !== numberAt(round, index)) return false
  return true
}

/** Sends vectors of `bytes` bytes, of rounds `first` to `first + count - 1`, as fast as the queue takes them. */
export async function sendAll(
  { peer }: TestNode,
  to: PeerName,
  bytes: number,
  count: number,
  first = 0
): Promise<void> {
  const { fabric } = peer
  for (let round = first; round < first + count; round++) {
    const message = { kind: 0, round, vector: vectorOf(round, bytes) }
    while (fabric.send(to, message) !== 'queued') await fabric.sleep(fabric.now() + 2)
  }
}

/**
 * Receives until `count` vectors have arrived or none arrives for `timeout`. Returns their rounds; `NaN` for a corrupt
 * vector.
 *
 * @param pause - milliseconds between two receives
 */
export async function receiveAll(
  { peer }: TestNode,
  count: number,
  pause = 0,
  timeout = timeLimit(20_000)
): Promise<number[]> {
  const { fabric } = peer
  const rounds: number[] = []
  while (rounds.length < count) {
    const envelope = await fabric.receive(fabric.now() + timeout)
    if (envelope === undefined) return rounds
    const { message } = envelope
    rounds.push(isWhole(message.round, message.vector) ? message.round : Number.NaN)
    fabric.recycle(message)
    if (pause > 0) await fabric.sleep(fabric.now() + pause)
  }
  return rounds
}

/** 0, 1, …, `count` - 1. */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

const troubles: readonly PeerEvent['kind'][] = ['reconnecting', 'bad-frame', 'silent', 'refused', 'activity-failed']

/** The events of faults and lost links of a peer since its `from`-th event. */
export function troubleOf({ events }: Pick<TestNode, 'events'>, from = 0): PeerEvent[] {
  return events.slice(from).filter(({ kind }) => troubles.includes(kind))
}
