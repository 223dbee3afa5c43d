import {
  add,
  advance,
  and,
  bits128,
  type Code,
  constant,
  each,
  float32x4,
  type FunctionCode,
  get,
  int32x4,
  loadInteger,
  loadVector,
  set,
  shiftLeft,
  shiftRightUnsigned,
  storeInteger,
  walk,
  when
} from '../../wasm/assembler.js'
import { every, keepWorst, layout, setAll, sizeBits } from './layout.js'

/** How many numbers are looked at side by side. */
export const pickStep = 4

const lanes = 4
const stepBytes = constant(4 * pickStep)

/** `inspect(end)`: how large the numbers up to the address `end` are. */
const inspect: FunctionCode = (() => {
  const [end, from, worst, sizeMask] = [0, 1, 2, 3]
  const body = [
    ...set(from, constant(layout.numbers)),
    ...setAll(sizeMask, [sizeBits]),
    ...walk(from, stepBytes, get(end), [
      ...set(worst, int32x4.maxSigned(get(worst), bits128.and(loadVector(get(from), 0), get(sizeMask))))
    ]),
    ...keepWorst(get(worst))
  ]
  return { name: 'inspect', parameters: 1, integers: 1, floats: 0, vectors: 2, body }
})()

/** |x − reference| of four numbers as bits. */
function change(from: number, reference: number): { readonly change: Code; readonly size: (of: Code) => Code } {
  return {
    change: float32x4.subtract(loadVector(get(from), 0), loadVector(get(reference), 0)),
    size: (of) => bits128.and(of, every(sizeBits))
  }
}

/**
 * `tally(end, mask, wanted, shift, bins)`: of the numbers up to the address `end` whose changes have the bits `wanted` where
 * `mask` has ones, it counts how many have which number in the bits from `shift` on; `bins` is the largest such number.
 */
const tally: FunctionCode = (() => {
  const [end, mask, wanted, shift, bins, from, reference, bin] = [0, 1, 2, 3, 4, 5, 6, 7]
  const [size, maskAll, wantedAll, matches] = [8, 9, 10, 11]
  const { change: changes, size: sizeOf } = change(from, reference)
  const number = (lane: number): Code => and(shiftRightUnsigned(int32x4.lane(get(size), lane), get(shift)), get(bins))
  const count = (lane: number): Code =>
    when(int32x4.lane(get(matches), lane), [
      ...set(bin, add(constant(layout.tally), shiftLeft(number(lane), constant(2)))),
      ...storeInteger(get(bin), add(loadInteger(get(bin)), constant(1)))
    ])
  const body = [
    ...set(from, constant(layout.numbers)),
    ...set(reference, constant(layout.reference)),
    ...set(maskAll, int32x4.splat(get(mask))),
    ...set(wantedAll, int32x4.splat(get(wanted))),
    ...walk(from, stepBytes, get(end), [
      ...set(size, sizeOf(changes)),
      ...set(matches, int32x4.equal(bits128.and(get(size), get(maskAll)), get(wantedAll))),
      ...when(bits128.any(get(matches)), each(lanes, count)),
      ...advance(reference, stepBytes)
    ])
  ]
  return { name: 'tally', parameters: 5, integers: 3, floats: 0, vectors: 4, body }
})()

/**
 * `pick(end, least)`: of the numbers up to the address `end`, the places (in bytes) and changes of those whose changes are
 * `least` or more, as bits, one after the other to where codes lie; and the address behind the last one.
 */
const pick: FunctionCode = (() => {
  const [end, least, from, reference, to] = [0, 1, 2, 3, 4]
  const [changes, leastAll, matches] = [5, 6, 7]
  const { change: difference, size: sizeOf } = change(from, reference)
  const keep = (lane: number): Code => [
    ...storeInteger(get(to), add(get(from), constant(4 * lane))),
    ...storeInteger(add(get(to), constant(4)), int32x4.lane(get(changes), lane)),
    // A match is −1, and its lower bits 8: without a branch that nobody can predict.
    ...advance(to, and(int32x4.lane(get(matches), lane), constant(8)))
  ]
  const body = [
    ...set(from, constant(layout.numbers)),
    ...set(reference, constant(layout.reference)),
    ...set(to, constant(layout.codes)),
    ...set(leastAll, int32x4.splat(add(get(least), constant(-1)))),
    ...walk(from, stepBytes, get(end), [
      ...set(changes, difference),
      ...set(matches, int32x4.greaterSigned(sizeOf(get(changes)), get(leastAll))),
      ...when(bits128.any(get(matches)), each(lanes, keep)),
      ...advance(reference, stepBytes)
    ]),
    ...storeInteger(constant(layout.end), get(to))
  ]
  return { name: 'pick', parameters: 2, integers: 3, floats: 0, vectors: 3, body }
})()

export const pickKernels: readonly FunctionCode[] = [inspect, tally, pick]
