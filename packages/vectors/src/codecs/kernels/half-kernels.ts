import {
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
  loadVector,
  set,
  storeVector,
  walk
} from '../../wasm/assembler.js'
import { bitsOf, every, infiniteBits, keepWorst, layout, setAll, sizeBits } from './layout.js'

/** How many numbers are computed side by side. */
export const halfStep = 8

/** How one of the formats of 16 bits rounds. Vectors are numbered from the one that it is given. */
interface Rounding {
  readonly name: string
  /** The largest finite number, as bits of float32. */
  readonly largest: number
  /** Patterns of bits that it wants in vectors of their own, followed by `temporaries` more vectors. */
  readonly constants: readonly number[]
  readonly temporaries: number
  /** From |x|, saturated, and the sign of x: code that goes first, the 16 bits in lanes of 32, and what they mean. */
  round(size: number, sign: number, own: number): { readonly first: Code; readonly code: Code; readonly value: Code }
}

/**
 * IEEE 754 binary16. Adding 2¹³ times the power of two in |x| makes the addition round to the 11 bits that are kept, ties to
 * even; 2⁻¹⁴ stands in for smaller powers, which gives subnormal numbers their fewer bits. What the addition has below the power is
 * the significand, and adding it to the exponent less one lets a carry, or the lack of a leading bit, come out right.
 */
const float16: Rounding = {
  name: 'Float16',
  largest: bitsOf(65_504),
  constants: [bitsOf(2 ** -14), infiniteBits, 13 << 23, 113 << 10],
  temporaries: 3,
  round: (size, sign, own) => {
    const [smallest, exponents, lift, base, power, anchor, sum] = Array.from({ length: 7 }, (_, index) => own + index)
    const exponent = int32x4.subtract(int32x4.shiftRightUnsigned(get(power), 13), get(base))
    const code = int32x4.add(int32x4.subtract(get(sum), get(anchor)), exponent)
    return {
      first: [
        ...set(power, bits128.and(int32x4.maxSigned(get(size), get(smallest)), get(exponents))),
        ...set(anchor, int32x4.add(get(power), get(lift))),
        ...set(sum, float32x4.add(get(size), get(anchor)))
      ],
      code: bits128.or(int32x4.shiftRightUnsigned(get(sign), 16), code),
      value: bits128.or(float32x4.subtract(get(sum), get(anchor)), get(sign))
    }
  }
}

/** The upper half of float32. Adding just under a half, and the last bit that is kept, rounds ties to even. */
const bfloat16: Rounding = {
  name: 'Bfloat16',
  largest: 0x7f7f_0000,
  constants: [1, 0x7fff, 0xffff_0000],
  temporaries: 1,
  round: (size, sign, own) => {
    const [one, half, upper, rounded] = [own, own + 1, own + 2, own + 3]
    const even = bits128.and(int32x4.shiftRightUnsigned(get(size), 16), get(one))
    return {
      first: set(rounded, bits128.or(get(sign), int32x4.add(get(size), int32x4.add(get(half), even)))),
      code: int32x4.shiftRightUnsigned(get(rounded), 16),
      value: bits128.and(get(rounded), get(upper))
    }
  }
}

/** `encode(end)`: of the numbers up to the address `end`, or of their changes since the reference, which follows. */
function encoder(rounding: Rounding, delta: boolean): FunctionCode {
  const [end, from, reference, to] = [0, 1, 2, 3]
  const [worst, sizeMask, largest, size, sign, codes, own] = [4, 5, 6, 7, 8, 9, 11]
  const { first, code, value } = rounding.round(size, sign, own)
  const piece = (index: number): Code => {
    const [number, known] = [loadVector(get(from), 16 * index), loadVector(get(reference), 16 * index)]
    return [
      ...set(sign, delta ? float32x4.subtract(number, known) : number),
      ...set(size, bits128.and(get(sign), get(sizeMask))),
      ...set(worst, int32x4.maxSigned(get(worst), get(size))),
      ...set(sign, bits128.xor(get(sign), get(size))),
      ...set(size, int32x4.minSigned(get(size), get(largest))),
      ...first,
      ...set(codes + index, code),
      ...(delta ? follow(index, float32x4.add(known, value)) : [])
    ]
  }
  const follow = (index: number, next: Code): Code => [
    ...set(size, next),
    ...storeVector(get(reference), 16 * index, get(size)),
    ...set(worst, int32x4.maxSigned(get(worst), bits128.and(get(size), get(sizeMask))))
  ]
  const body = [
    ...set(from, constant(layout.numbers)),
    ...set(reference, constant(layout.reference)),
    ...set(to, constant(layout.codes)),
    ...setAll(sizeMask, [sizeBits, rounding.largest]),
    ...setAll(own, rounding.constants),
    ...walk(from, constant(4 * halfStep), get(end), [
      ...each(2, piece),
      ...storeVector(get(to), 0, int16x8.narrowUnsigned(get(codes), get(codes + 1))),
      ...(delta ? advance(reference, constant(4 * halfStep)) : []),
      ...advance(to, constant(2 * halfStep))
    ]),
    ...keepWorst(get(worst))
  ]
  const vectors = 7 + rounding.constants.length + rounding.temporaries
  return { name: nameOf('encode', rounding, delta), parameters: 1, integers: 3, floats: 0, vectors, body }
}

/** How 16 bits in lanes of 32 are read: code that goes first, and the value. */
type Reading = (bits: number, own: number) => { readonly first: Code; readonly value: Code }

/** Numbers without a leading bit are made with one that is subtracted again; NaN and infinity become NaN. */
const readFloat16: Reading = (bits, own) => {
  const [signMask, lift, hidden, finite, size] = [own, own + 1, own + 2, own + 3, own + 4]
  const normal = int32x4.add(get(size), get(lift))
  const subnormal = float32x4.subtract(int32x4.add(get(size), get(hidden)), get(hidden))
  const isNormal = int32x4.greaterSigned(get(size), every((1 << 23) - 1))
  const wrong = int32x4.greaterSigned(get(size), get(finite))
  const sign = bits128.and(int32x4.shiftLeft(get(bits), 16), get(signMask))
  return {
    first: set(size, int32x4.shiftRightUnsigned(int32x4.shiftLeft(get(bits), 17), 4)),
    value: bits128.or(bits128.or(bits128.select(normal, subnormal, isNormal), sign), wrong)
  }
}
const float16Constants = [0x8000_0000, 112 << 23, 113 << 23, (0x7c00 << 13) - 1]

const readBfloat16: Reading = (bits) => ({ first: [], value: int32x4.shiftLeft(get(bits), 16) })

/** `decode(end)`: the numbers up to the address `end`, or the sum of the reference there and of the changes. */
function decoder(rounding: Rounding, delta: boolean): FunctionCode {
  const [end, to, from] = [0, 1, 2]
  const [worst, sizeMask, both, bits, number, own] = [3, 4, 5, 6, 7, 8]
  const [read, constants] = rounding === float16 ? [readFloat16, float16Constants] : [readBfloat16, []]
  const { first, value } = read(bits, own)
  const piece = (index: number): Code => [
    ...set(bits, index === 0 ? int32x4.ofLowUnsigned(get(both)) : int32x4.ofHighUnsigned(get(both))),
    ...first,
    ...set(number, delta ? float32x4.add(loadVector(get(to), 16 * index), value) : value),
    ...storeVector(get(to), 16 * index, get(number)),
    ...set(worst, int32x4.maxSigned(get(worst), bits128.and(get(number), get(sizeMask))))
  ]
  const body = [
    ...set(to, constant(layout.numbers)),
    ...set(from, constant(layout.codes)),
    ...setAll(sizeMask, [sizeBits]),
    ...setAll(own, constants),
    ...walk(to, constant(4 * halfStep), get(end), [
      ...set(both, loadVector(get(from), 0)),
      ...each(2, piece),
      ...advance(from, constant(2 * halfStep))
    ]),
    ...keepWorst(get(worst))
  ]
  return { name: nameOf('decode', rounding, delta), parameters: 1, integers: 2, floats: 0, vectors: 10, body }
}

function nameOf(verb: string, { name }: Rounding, delta: boolean): string {
  return `${verb}${delta ? 'Delta' : ''}${name}`
}

export const halfKernels: readonly FunctionCode[] = [float16, bfloat16].flatMap((rounding) =>
  [false, true].flatMap((delta) => [encoder(rounding, delta), decoder(rounding, delta)])
)
