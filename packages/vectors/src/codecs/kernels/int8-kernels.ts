import {
  add,
  advance,
  bits128,
  type Code,
  constant,
  each,
  float32x4,
  type FunctionCode,
  get,
  int16x8,
  int32x4,
  int8x16,
  loadFloat,
  loadVector,
  set,
  storeFloat,
  storeVector,
  walk
} from '../../wasm/assembler.js'
import { bitsOf, every, groupLength, keepWorst, layout, setAll, sizeBits } from './layout.js'

/** Bytes of a group: a scale, and a byte per number. */
export const groupBytes = 4 + groupLength

/**
 * The smallest scale. Smaller ones would be inexact or zero, and their inverses infinite; with this one, rounding small
 * numbers at random still keeps their mean.
 */
const smallestScale = 2 ** -110

/** Bits of the largest |x| that the scale can be made of without 127 times the scale overflowing; larger ones saturate. */
const largestSize = 0x7f7f_fff8

/** Numbers in units of the scale are rounded to this many bits behind the point first, and then at random. */
const fraction = 15

/** 1.5 · 2²³: what is added to it is rounded to an integer, which is then found in the lower bits. */
const anchor = bitsOf(1.5 * 2 ** 23)

/** Each step of the dice serves two vectors of numbers; after four their state is where it was. */
const steps = 4
const groupEnd = (start: number): Code => add(get(start), constant(4 * groupLength))

/**
 * The next four times 32 bits of xorshift128 (Marsaglia, Journal of Statistical Software 8(14), 2003), each lane a generator of
 * its own. The four vectors of state change their parts from step to step, and are back after four. Leaves the bits in
 * `state + step`.
 */
function throwDice(state: number, step: number, mixed: number): Code {
  const [oldest, newest] = [state + (step % 4), state + ((step + 3) % 4)]
  const last = bits128.xor(get(newest), int32x4.shiftRightUnsigned(get(newest), 19))
  return [
    ...set(mixed, bits128.xor(get(oldest), int32x4.shiftLeft(get(oldest), 11))),
    ...set(mixed, bits128.xor(get(mixed), int32x4.shiftRightUnsigned(get(mixed), 8))),
    ...set(oldest, bits128.xor(last, get(mixed)))
  ]
}

/** The largest of the four lanes, in all of them. */
function spread(local: number): Code {
  const swap = (bytes: readonly number[]) =>
    set(local, int32x4.maxSigned(get(local), bits128.shuffle(get(local), get(local), bytes)))
  return [
    ...swap([8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7]),
    ...swap([4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11])
  ]
}

/**
 * `encode(end)`: of the numbers up to the address `end`, or of their changes since the reference, which follows. An integer v =
 * x / scale · 2¹⁵ becomes ⌊(v + u) / 2¹⁵⌋ with u drawn evenly from 0 … 2¹⁵ − 1, whose mean is v / 2¹⁵.
 */
function encoder(delta: boolean): FunctionCode {
  const [end, from, reference, to, at] = [0, 1, 2, 3, 4]
  const [worst, sizeMask, largest, scale, inverse, number, pair] = [5, 6, 7, 8, 9, 10, 11]
  const [magic, lowMask, base, most, least, state, mixed] = [15, 16, 17, 18, 19, 20, 24]
  const measure = (index: number): Code => [
    ...set(number, loadVector(get(at), 16 * index)),
    ...(delta ? change(index) : []),
    ...set(largest, int32x4.maxSigned(get(largest), bits128.and(get(number), get(sizeMask))))
  ]
  const change = (index: number): Code => [
    ...set(number, float32x4.subtract(get(number), loadVector(get(reference), 16 * index))),
    ...storeVector(get(at), 16 * index, get(number))
  ]
  const round = (index: number, dice: Code): Code => {
    const scaled = float32x4.add(float32x4.multiply(loadVector(get(from), 16 * index), get(inverse)), get(magic))
    const floor = int32x4.shiftRightSigned(int32x4.add(scaled, dice), fraction)
    return [
      ...set(number, int32x4.minSigned(int32x4.subtract(floor, get(base)), get(most))),
      ...set(pair + (index % 4), int32x4.maxSigned(get(number), get(least))),
      ...(delta ? follow(index) : [])
    ]
  }
  const follow = (index: number): Code => [
    ...set(number, float32x4.multiply(float32x4.ofIntegers(get(pair + (index % 4))), get(scale))),
    ...set(number, float32x4.add(loadVector(get(reference), 16 * index), get(number))),
    ...storeVector(get(reference), 16 * index, get(number)),
    ...set(worst, int32x4.maxSigned(get(worst), bits128.and(get(number), get(sizeMask))))
  ]
  const store = (half: number): Code =>
    storeVector(
      get(to),
      16 * half,
      int8x16.narrowSigned(
        int16x8.narrowSigned(get(pair), get(pair + 1)),
        int16x8.narrowSigned(get(pair + 2), get(pair + 3))
      )
    )
  const roundAll = each(steps, (step) => [
    ...throwDice(state, step, mixed),
    ...round(2 * step, int32x4.shiftRightUnsigned(get(state + step), 32 - fraction)),
    ...round(2 * step + 1, bits128.and(get(state + step), get(lowMask))),
    ...(step % 2 === 1 ? store((step - 1) / 2) : [])
  ])
  const group = [
    ...set(largest, bits128.zero),
    ...set(at, get(from)),
    ...walk(at, constant(64), groupEnd(from), [
      ...each(4, measure),
      ...(delta ? advance(reference, constant(64)) : [])
    ]),
    ...(delta ? advance(reference, constant(-4 * groupLength)) : []),
    ...spread(largest),
    ...set(worst, int32x4.maxSigned(get(worst), get(largest))),
    ...set(largest, int32x4.maxSigned(get(largest), every(bitsOf(127 * smallestScale)))),
    ...set(largest, int32x4.minSigned(get(largest), every(largestSize))),
    ...set(scale, float32x4.divide(get(largest), every(bitsOf(127)))),
    ...set(inverse, float32x4.divide(every(bitsOf(2 ** fraction)), get(scale))),
    ...storeFloat(get(to), float32x4.lane(get(scale), 0)),
    ...advance(to, constant(4)),
    // The end stands on `at` since the walk above.
    ...walk(from, constant(32 * steps), get(at), [
      ...roundAll,
      ...(delta ? advance(reference, constant(32 * steps)) : []),
      ...advance(to, constant(8 * steps))
    ])
  ]
  const diceAt = constant(layout.dice)
  const body = [
    ...set(from, constant(layout.numbers)),
    ...set(reference, constant(layout.reference)),
    ...set(to, constant(layout.codes)),
    ...setAll(sizeMask, [sizeBits]),
    ...setAll(magic, [anchor, 2 ** fraction - 1, anchor >> fraction, 127, -127]),
    ...each(4, (index) => set(state + index, loadVector(diceAt, 16 * index))),
    // A group moves the pointer itself.
    ...walk(from, constant(0), get(end), group),
    ...each(4, (index) => storeVector(diceAt, 16 * index, get(state + index))),
    ...keepWorst(get(worst))
  ]
  const name = delta ? 'encodeDeltaInt8' : 'encodeInt8'
  return { name, parameters: 1, integers: 4, floats: 0, vectors: 20, body }
}

/** `decode(end)`: the numbers up to the address `end`, or the sum of the reference there and of the changes. */
function decoder(delta: boolean): FunctionCode {
  const [end, to, from, last] = [0, 1, 2, 3]
  const [worst, sizeMask, scale, bytes, half, number] = [4, 5, 6, 7, 8, 9]
  const piece = (index: number): Code => {
    const integers = index % 2 === 0 ? int32x4.ofLowSigned(get(half)) : int32x4.ofHighSigned(get(half))
    const value = float32x4.multiply(float32x4.ofIntegers(integers), get(scale))
    return [
      ...(index === 0 ? set(half, int16x8.ofLowSigned(get(bytes))) : []),
      ...(index === 2 ? set(half, int16x8.ofHighSigned(get(bytes))) : []),
      ...set(number, delta ? float32x4.add(loadVector(get(to), 16 * index), value) : value),
      ...storeVector(get(to), 16 * index, get(number)),
      ...set(worst, int32x4.maxSigned(get(worst), bits128.and(get(number), get(sizeMask))))
    ]
  }
  const body = [
    ...set(to, constant(layout.numbers)),
    ...set(from, constant(layout.codes)),
    ...setAll(sizeMask, [sizeBits]),
    // The inner walk moves the pointer.
    ...walk(to, constant(0), get(end), [
      ...set(scale, float32x4.splat(loadFloat(get(from)))),
      ...advance(from, constant(4)),
      ...set(last, groupEnd(to)),
      ...walk(to, constant(64), get(last), [
        ...set(bytes, loadVector(get(from), 0)),
        ...each(4, piece),
        ...advance(from, constant(16))
      ])
    ]),
    ...keepWorst(get(worst))
  ]
  return { name: delta ? 'decodeDeltaInt8' : 'decodeInt8', parameters: 1, integers: 3, floats: 0, vectors: 6, body }
}

export const int8Kernels: readonly FunctionCode[] = [false, true].flatMap((delta) => [encoder(delta), decoder(delta)])
