/** The messages between peers about keyed rows, and their format. */
import type { VectorMessage } from '@murmuration/wire'

/**
 * 'pull' and 'push' read rows and add to them; 'pulled' and 'pushed' answer. 'localize' asks a key's home for its row,
 * 'relocate' tells the holder to give it to the origin, 'moved' carries it. 'reached' says that its sender has ended
 * its phase. 'flush' carries what the workers of a peer have added up to a tick of their clock, 'flushed' acknowledges
 * it, and 'refresh' carries what others have added since the last one. 'intend' tells a key's home that the origin is
 * about to use its row, 'unintend' that it no longer is; 'kept' answers that it has the row already. 'sync' adds to a
 * row and asks for it, 'synced' carries it.
 */
export const messageTypes = [
  'pull',
  'push',
  'pulled',
  'pushed',
  'localize',
  'relocate',
  'moved',
  'reached',
  'flush',
  'flushed',
  'refresh',
  'intend',
  'kept',
  'unintend',
  'sync',
  'synced'
] as const
export type MessageType = (typeof messageTypes)[number]

/** The order and the clock of a message. */
export interface Timing {
  /**
   * Its sequence number among the messages from its sender to its receiver, 0, 1, …, where these must be processed in
   * order.
   */
  readonly order: number
  /** A clock of workers; the type says which. */
  readonly clock: number
}

export interface KeyMessage {
  readonly type: MessageType
  /** The index of the peer that made the request. */
  readonly origin: number
  /** Which operation of the origin it belongs to. */
  readonly id: number
  /** Ascending. */
  readonly keys: Uint32Array
  /** The rows of the keys, or the values to add to them, concatenated; empty where there are none. */
  readonly values: Float32Array
  /** For servers with clocks. */
  readonly timing?: Timing
}

/** What a message is checked against. */
export interface KeySpace {
  /** How many keys there are, at most 2³¹ − 2²³, so that their bits travel as finite float32. */
  readonly count: number
  /** How many numbers a row has. */
  readonly width: number
  /** How many peers there are. */
  readonly peers: number
}

/** The most keys: the bits of larger ones would not be finite numbers. */
export const maxKeys = 2 ** 31 - 2 ** 23

/** No keys, and no rows. */
export const noKeys = new Uint32Array(0)
export const noValues = new Float32Array(0)

const withValues: readonly MessageType[] = ['push', 'pulled', 'moved', 'flush', 'refresh', 'sync', 'synced']
/** Whether a request carries values to add. */
export const isAdding = (type: MessageType) => type === 'push' || type === 'sync'

const withoutKeys: readonly MessageType[] = ['reached', 'flushed']
const maybeWithoutKeys: readonly MessageType[] = ['flush', 'refresh']

/**
 * What is added to a row is smaller than this. So no sum of additions overflows: float32 has 24 bits, so a row of 2⁸⁰
 * does not change any more by less than 2⁵⁶.
 */
export const maxAdded = 2 ** 56

/** A worker whose steps are as large has diverged; as it sends sums of them, this is less than {@link maxAdded}. */
export const maxStep = 2 ** 48

/** Rows are smaller than this: more than additions can make of a row. */
const maxRow = 2 ** 100

const adding: readonly MessageType[] = ['push', 'flush', 'sync']

/** How many ticks a phase has at most: phase p begins at the clock p · 2²⁴. */
export const ticksPerPhase = 2 ** 24

/** Whether all numbers are nearer to 0 than `limit`; NaN is not. */
export function areBelow(numbers: Float32Array, limit: number): boolean {
  for (let i = 0; i < numbers.length; i++) if (!(Math.abs(numbers[i]) < limit)) return false
  return true
}

/** A message as a vector: the keys bit by bit, then the values. */
export function vectorOf({ type, origin, id, keys, values, timing }: KeyMessage, phase: number): VectorMessage {
  const vector = new Float32Array(keys.length + values.length)
  new Uint32Array(vector.buffer, 0, keys.length).set(keys)
  vector.set(values, keys.length)
  const numbers = timing === undefined ? [origin, id] : [origin, id, timing.order, timing.clock]
  return { kind: messageTypes.indexOf(type), round: phase, numbers, vector, packed: true }
}

/** The message in a vector, sharing no memory with it; or what is wrong with it, in words. */
export function messageOf({ kind, round, numbers = [], vector }: VectorMessage, space: KeySpace): KeyMessage | string {
  const type = messageTypes[kind] as MessageType | undefined
  if (type === undefined) return `a message of kind ${kind}; expected one below ${messageTypes.length}`
  const [origin, id, ...timing] = numbers
  const isTimed =
    timing.length === 2 && isBelow(timing[0], 2 ** 53) && isBelow(timing[1], (round + 1) * ticksPerPhase + 1)
  if (!isBelow(origin, space.peers) || !isBelow(id, 2 ** 32) || (timing.length > 0 && !isTimed)) {
    const expected = `a peer below ${space.peers}, an id, and both an order and a clock of phase ${round} or neither`
    return `a message of ${type} with the numbers ${numbers.join(', ')}; expected ${expected}`
  }
  const perKey = withValues.includes(type) ? 1 + space.width : 1
  const count = vector.length / perKey
  const mayBeEmpty = withoutKeys.includes(type)
  const isLengthRight = maybeWithoutKeys.includes(type) || mayBeEmpty === (count === 0)
  if (!Number.isInteger(count) || !isLengthRight)
    return `a message of ${type} with ${vector.length} numbers; expected ${mayBeEmpty ? 'none' : `${perKey} for each key`}`
  const bits = new Uint32Array(vector.slice(0, count).buffer)
  for (let i = 0; i < count; i++)
    if (bits[i] >= space.count || (i > 0 && bits[i] <= bits[i - 1]))
      return `a message of ${type} with the key ${bits[i]}; expected ascending keys below ${space.count}`
  const [order, clock] = timing
  const values = vector.slice(count)
  const limit = adding.includes(type) ? maxAdded : maxRow
  if (!areBelow(values, limit)) return `a message of ${type} with NaN or a number as large as ${limit}`
  return { type, origin, id, keys: bits, values, ...(isTimed && { timing: { order, clock } }) }
}

function isBelow(number: number, limit: number): boolean {
  return Number.isInteger(number) && number >= 0 && number < limit
}
