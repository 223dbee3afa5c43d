/** What peers tell each other about keyed rows, and how it travels. */
import type { VectorMessage } from '@murmuration/wire'

/**
 * 'pull' and 'push' ask for rows, or for adding to them; 'pulled' and 'pushed' answer. 'localize' asks a key's home for its row, 'relocate' tells the
 * holder to give it to the origin, 'moved' brings it. 'reached' says that its sender has come to the end of its phase. 'flush' brings what the workers of a
 * peer have added until a tick of their clock, 'flushed' answers, and 'refresh' brings what others have added since the last one.
 * 'intend' tells a key's home that the origin is about to use its row, 'unintend' that it is not any more; 'kept' answers that it has the row already. 'sync' adds to a row and asks for it, 'synced' brings it.
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

/** When something is sent, or of when it is. */
export interface Timing {
  /** Its place among all messages from its sender to its receiver, 0, 1, …, where these have to be taken in order. */
  readonly order: number
  /** A clock of workers; which one, the type says. */
  readonly clock: number
}

export interface KeyMessage {
  readonly type: MessageType
  /** The place of the peer that it is for the sake of. */
  readonly origin: number
  /** Which operation of the origin it is about. */
  readonly id: number
  /** Ascending. */
  readonly keys: Uint32Array
  /** The rows of the keys, or what is added to them, one after the other; empty where there are none. */
  readonly values: Float32Array
  /** Of servers with clocks. */
  readonly timing?: Timing
}

/** What a message is checked against. */
export interface KeySpace {
  /** How many keys there are, fewer than 2³¹ − 2²³: their bits travel as finite float32. */
  readonly count: number
  /** How many numbers the row of a key has. */
  readonly width: number
  /** How many peers there are. */
  readonly places: number
}

/** The most keys: those above would be bits of what is not finite. */
export const maxKeys = 2 ** 31 - 2 ** 23

/** No keys, and no rows. */
export const noKeys = new Uint32Array(0)
export const noValues = new Float32Array(0)

const withValues: readonly MessageType[] = ['push', 'pulled', 'moved', 'flush', 'refresh', 'sync', 'synced']
/** Whether a request says what is to be added. */
export const isAdding = (type: MessageType) => type === 'push' || type === 'sync'

const withoutKeys: readonly MessageType[] = ['reached', 'flushed']
const maybeWithoutKeys: readonly MessageType[] = ['flush', 'refresh']

/** A message as a vector: the keys bit by bit, then the values. */
export function vectorOf({ type, origin, id, keys, values, timing }: KeyMessage, phase: number): VectorMessage {
  const vector = new Float32Array(keys.length + values.length)
  new Uint32Array(vector.buffer, 0, keys.length).set(keys)
  vector.set(values, keys.length)
  const numbers = timing === undefined ? [origin, id] : [origin, id, timing.order, timing.clock]
  return { kind: messageTypes.indexOf(type), round: phase, numbers, vector, packed: true }
}

/** The message that a vector is, which shares no memory with it; or what is wrong with it, in words. */
export function messageOf({ kind, numbers = [], vector }: VectorMessage, space: KeySpace): KeyMessage | string {
  const type = messageTypes[kind] as MessageType | undefined
  if (type === undefined) return `a message of kind ${kind}, of which there are ${messageTypes.length}`
  const [origin, id, ...timing] = numbers
  const isTimed = timing.length === 2 && timing.every((number) => isBelow(number, 2 ** 53))
  if (!isBelow(origin, space.places) || !isBelow(id, 2 ** 32) || (timing.length > 0 && !isTimed))
    return `a message of ${type} beside the numbers ${numbers.join(', ')}; expected a place below ${space.places}, an id, and an order and a clock or neither`
  const perKey = withValues.includes(type) ? 1 + space.width : 1
  const count = vector.length / perKey
  const mayBeEmpty = withoutKeys.includes(type)
  const isLengthRight = maybeWithoutKeys.includes(type) || mayBeEmpty === (count === 0)
  if (!Number.isInteger(count) || !isLengthRight)
    return `a message of ${type} with ${vector.length} numbers; expected ${mayBeEmpty ? 'none' : `${perKey} for each key`}`
  const bits = new Uint32Array(vector.slice(0, count).buffer)
  for (let i = 0; i < count; i++)
    if (bits[i] >= space.count || (i > 0 && bits[i] <= bits[i - 1]))
      return `a message of ${type} with the key ${bits[i]}; expected ascending ones below ${space.count}`
  const [order, clock] = timing
  return { type, origin, id, keys: bits, values: vector.slice(count), ...(isTimed && { timing: { order, clock } }) }
}

function isBelow(number: number, limit: number): boolean {
  return Number.isInteger(number) && number >= 0 && number < limit
}
