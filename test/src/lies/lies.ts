/** Lies about one field of a peer's messages, drawn from the field's whole range. */
import type { Random } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'

/** What is changed of a message. 'copies': it is sent twice; 'receiver': to another peer, or to all. */
export const plainFields = [
  'kind',
  'round',
  'part',
  'field',
  'offset',
  'count',
  'vector',
  'length',
  'copies',
  'receiver'
] as const

/** A field of a message; `number 2` is the third number beside its vector. */
export type Field = (typeof plainFields)[number] | `number ${number}`

/** Which of its messages a liar changes: those of one kind, from a place in their order on. */
export interface MessageLie {
  readonly field: Field
  /** The first that it changes among its messages that have the field. */
  readonly first: number
  /** How often it changes the others. */
  readonly often: number
}

/** Whether a message has a field. */
export function has({ numbers = [], vector }: VectorMessage, field: Field): boolean {
  if (field === 'vector') return vector.length > 0
  return !field.startsWith('number ') || placeOf(field) < numbers.length
}

function placeOf(field: Field): number {
  return Number(field.slice('number '.length))
}

/** The largest values that a frame can carry. */
const most = { kind: 255, round: 0xffff_ffff, part: 0xffff, field: 15, offset: 0xffff_ffff } as const

/** The message with a lie in one field. */
export function changed(message: VectorMessage, field: Field, random: Random): VectorMessage {
  const { numbers = [], vector } = message
  if (field === 'vector') return { ...message, vector: wrongVector(vector, random) }
  if (field === 'length') return { ...message, vector: otherLength(vector, random) }
  if (field === 'count') return { ...message, numbers: otherCount(numbers, random) }
  if (field === 'copies' || field === 'receiver') return message
  if (field.startsWith('number ')) {
    const place = placeOf(field)
    return { ...message, numbers: numbers.with(place, wrongNumber(numbers[place], random)) }
  }
  const name = field as keyof typeof most
  return { ...message, [name]: wrongWhole(message[name] ?? 0, most[name], random) }
}

function pick<T>(all: readonly T[], random: Random): T {
  return all[random.integer(all.length)]
}

/** 10 to a power that is drawn evenly. */
function anySize(least: number, most: number, random: Random): number {
  return (random.integer(2) === 0 ? 1 : -1) * 10 ** (least + (most - least) * random.uniform())
}

function wrongWhole(value: number, most: number, random: Random): number {
  const near = value + random.integer(5) - 2
  const lie = pick([near, random.integer(4), random.integer(16), random.integer(most), most, 2 * value], random)
  return Math.min(most, Math.max(0, lie))
}

function wrongNumber(value: number, random: Random): number {
  const { NaN: none, POSITIVE_INFINITY: infinite } = Number
  const lies = [none, infinite, -infinite, -value, 0, 1, value + 1, value - 1, value / 2, 2 * value, 2 ** 32, 2 ** 53]
  const drawn = [anySize(-324, 308, random), anySize(-6, 6, random), random.integer(8), random.integer(2 ** 32)]
  return pick([...lies, ...drawn, random.uniform(), 1e308, -0.75], random)
}

/** Lies about one element, or about all alike. */
function wrongVector(vector: Float32Array, random: Random): Float32Array {
  const lie = pick<(value: number) => number>(
    [
      () => Number.NaN,
      () => Number.POSITIVE_INFINITY,
      () => 3.4e38,
      (value) => -value,
      () => 0,
      ...[anySize(-45, 38, random), anySize(0, 38, random)].map((size) => (value: number) => size * (value || 1)),
      ...[anySize(-45, 38, random), anySize(0, 12, random)].map((size) => () => size),
      () => anyBits(random)
    ],
    random
  )
  if (random.integer(2) === 0) return vector.map(lie)
  const place = random.integer(vector.length)
  return vector.with(place, lie(vector[place]))
}

function anyBits(random: Random): number {
  return new Float32Array(Uint32Array.of(random.integer(2 ** 32)).buffer)[0]
}

function otherLength(vector: Float32Array, random: Random): Float32Array {
  const { length } = vector
  const next = pick([0, 1, length + 1, Math.max(0, length - 1), 2 * length, random.integer(64)], random)
  return Float32Array.from({ length: next }, (_, place) => vector[place] ?? 1)
}

function otherCount(numbers: readonly number[], random: Random): readonly number[] {
  const more = Array.from({ length: 1 + random.integer(4) }, () => wrongNumber(1, random))
  return pick([[], numbers.slice(1), numbers.slice(0, -1), [...numbers, ...more], [...more, ...numbers]], random).slice(
    0,
    15
  )
}
