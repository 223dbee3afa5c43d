/**
 * As much of WebAssembly's binary format as the kernels of Murmuration need (W3C, WebAssembly Core Specification 2.0,
 * chapter 5, and its vector instructions). Instructions are written as expressions, `add(get(x), constant(4))`, and come out
 * as bytes in the order of the stack machine. The engine checks types and bounds when it compiles the module.
 */

/** Bytes of instructions. */
export type Code = readonly number[]

/** A function without a result. Its parameters are integers; its locals are numbered after them, in the order given here. */
export interface FunctionCode {
  readonly name: string
  readonly parameters: number
  readonly integers: number
  readonly floats: number
  readonly vectors: number
  readonly body: Code
}

const types = { i32: 0x7f, f32: 0x7d, v128: 0x7b } as const

export const get = (local: number): Code => [0x20, ...unsigned(local)]
export const set = (local: number, value: Code): Code => [...value, 0x21, ...unsigned(local)]

export const constant = (value: number): Code => [0x41, ...signed(value)]
export const add = (left: Code, right: Code): Code => [...left, ...right, 0x6a]
export const multiply = (left: Code, right: Code): Code => [...left, ...right, 0x6c]
export const and = (left: Code, right: Code): Code => [...left, ...right, 0x71]
export const shiftLeft = (value: Code, bits: Code): Code => [...value, ...bits, 0x74]
export const shiftRightUnsigned = (value: Code, bits: Code): Code => [...value, ...bits, 0x76]

/** Memory is addressed in bytes: that which `address` gives, and `offset` beyond it. */
export const loadInteger = (address: Code): Code => [...address, 0x28, 2, 0]
export const storeInteger = (address: Code, value: Code): Code => [...address, ...value, 0x36, 2, 0]
export const loadFloat = (address: Code): Code => [...address, 0x2a, 2, 0]
export const storeFloat = (address: Code, value: Code): Code => [...address, ...value, 0x38, 2, 0]
export const loadVector = (address: Code, offset: number): Code => [...address, ...vector(0x00), 4, ...unsigned(offset)]
export const storeVector = (address: Code, offset: number, value: Code): Code => [
  ...address,
  ...value,
  ...vector(0x0b),
  4,
  ...unsigned(offset)
]

export const addFloats = (left: Code, right: Code): Code => [...left, ...right, 0x92]
export const isNotZero = (value: Code): Code => [...value, 0x43, 0, 0, 0, 0, 0x5c]

/** An instruction on vectors that takes one or two of them. */
const unary =
  (instruction: number) =>
  (value: Code): Code => [...value, ...vector(instruction)]
const binary =
  (instruction: number) =>
  (left: Code, right: Code): Code => [...left, ...right, ...vector(instruction)]
/** A shift of all lanes by as many bits. */
const shift =
  (instruction: number) =>
  (value: Code, bits: number): Code => [...value, ...constant(bits), ...vector(instruction)]

/** Sixteen bytes, whatever they are. */
export const bits128 = {
  /** The eight bytes at an address, and eight zeros. */
  loadLow: (address: Code, offset: number): Code => [...address, ...vector(0x5d), 3, ...unsigned(offset)],
  /** The lower eight bytes of `value`. */
  storeLow: (address: Code, offset: number, value: Code): Code => [
    ...address,
    ...value,
    ...vector(0x5b),
    3,
    ...unsigned(offset),
    0
  ],
  zero: [...vector(0x0c), ...Array.from({ length: 16 }, () => 0)] as Code,
  and: binary(0x4e),
  /** `left & ~right` */
  andNot: binary(0x4f),
  or: binary(0x50),
  xor: binary(0x51),
  /** Bits of `left` where `mask` is set, of `right` elsewhere. */
  select: (left: Code, right: Code, mask: Code): Code => [...left, ...right, ...mask, ...vector(0x52)],
  /** An integer: 1 when any bit is set. */
  any: unary(0x53),
  /** Bytes of both, by their numbers: 0 to 15 of `left`, 16 to 31 of `right`. */
  shuffle: (left: Code, right: Code, bytes: readonly number[]): Code => [...left, ...right, ...vector(0x0d), ...bytes]
}

/** Four float32 numbers side by side. */
export const float32x4 = {
  zero: bits128.zero,
  lane: (value: Code, index: number): Code => [...value, ...vector(0x1f), index],
  splat: unary(0x13),
  floor: unary(0x68),
  nearest: unary(0x6a),
  abs: unary(0xe0),
  add: binary(0xe4),
  subtract: binary(0xe5),
  multiply: binary(0xe6),
  divide: binary(0xe7),
  min: binary(0xe8),
  max: binary(0xe9),
  /** `right < left ? right : left`, in one machine instruction. */
  pseudoMin: binary(0xea),
  /** `left < right ? right : left`, in one machine instruction. */
  pseudoMax: binary(0xeb),
  /** Lanes of ones where it holds, of zeros elsewhere. */
  equal: binary(0x41),
  less: binary(0x43),
  /** From signed integers. */
  ofIntegers: unary(0xfa),
  /** Two float64 numbers rounded, in the lower lanes; zeros in the upper ones. */
  ofDoubles: unary(0x5e)
}

/** Four 32-bit integers side by side. */
export const int32x4 = {
  splat: unary(0x11),
  lane: (value: Code, index: number): Code => [...value, ...vector(0x1b), index],
  add: binary(0xae),
  subtract: binary(0xb1),
  multiply: binary(0xb5),
  minSigned: binary(0xb6),
  maxSigned: binary(0xb8),
  maxUnsigned: binary(0xb9),
  shiftLeft: shift(0xab),
  shiftRightSigned: shift(0xac),
  shiftRightUnsigned: shift(0xad),
  /** Lanes of ones where it holds, of zeros elsewhere. */
  equal: binary(0x37),
  greaterSigned: binary(0x3b),
  greaterUnsigned: binary(0x3c),
  /** From float32 numbers, towards zero; what is too large becomes the largest, NaN becomes 0. */
  ofFloats: unary(0xf8),
  /** Of eight 16-bit integers, the lower or upper four. */
  ofLowSigned: unary(0xa7),
  ofHighSigned: unary(0xa8),
  ofLowUnsigned: unary(0xa9),
  ofHighUnsigned: unary(0xaa)
}

/** Eight 16-bit integers side by side. */
export const int16x8 = {
  /** Of twice four 32-bit integers; what is too large becomes the largest. */
  narrowSigned: binary(0x85),
  narrowUnsigned: binary(0x86),
  /** Of sixteen 8-bit integers, the lower or upper eight. */
  ofLowSigned: unary(0x87),
  ofHighSigned: unary(0x88),
  ofLowUnsigned: unary(0x89),
  ofHighUnsigned: unary(0x8a)
}

/** Sixteen 8-bit integers side by side. */
export const int8x16 = {
  /** Of twice eight 16-bit integers; what is too large becomes the largest. */
  narrowSigned: binary(0x65)
}

/** Two float64 numbers side by side. */
export const float64x2 = {
  zero: bits128.zero,
  /** Twice a float32 number. */
  splat: (value: Code): Code => [...value, 0xbb, ...vector(0x14)],
  /** Twice the float64 number at an address. */
  loadSplat: (address: Code, offset: number): Code => [...address, ...vector(0x0a), 3, ...unsigned(offset)],
  lane: (value: Code, index: number): Code => [...value, ...vector(0x21), index],
  /** The two lower float32 numbers. */
  ofLowFloats: unary(0x5f),
  add: binary(0xf0),
  subtract: binary(0xf1),
  multiply: binary(0xf2)
}

export const when = (condition: Code, body: Code): Code => [...condition, 0x04, 0x40, ...body, 0x0b]

export const advance = (pointer: number, step: Code): Code => set(pointer, add(get(pointer), step))

/** Runs `body`, moves `pointer` by `step`, and again as long as it is below `end`: at least once. */
export const walk = (pointer: number, step: Code, end: Code, body: Code): Code => [
  ...[0x03, 0x40],
  ...body,
  ...advance(pointer, step),
  ...get(pointer),
  ...end,
  ...[0x49, 0x0d, 0, 0x0b]
]

/** `count` pieces of code, one after the other. */
export const each = (count: number, piece: (index: number) => Code): Code =>
  Array.from({ length: count }, (_, index) => piece(index)).flat()

/** Pages of 64 KiB that a memory which threads share may grow to at most: all that 32 bits can address. */
export const sharedPages = 65_536

/**
 * The module with these functions, which computes in the memory that it imports as `memory.memory`.
 *
 * @param shared - whether threads share the memory; its `maximum` is then {@link sharedPages}
 */
export function assemble(functions: readonly FunctionCode[], shared = false): Uint8Array<ArrayBuffer> {
  const limits = shared ? [0x03, 0x00, ...unsigned(sharedPages)] : [0x00, 0x00]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(
      1,
      functions.map(({ parameters }) => [0x60, ...many(Array.from({ length: parameters }, () => [types.i32])), 0])
    ),
    ...section(2, [[...text('memory'), ...text('memory'), 0x02, ...limits]]),
    ...section(
      3,
      functions.map((_, index) => unsigned(index))
    ),
    ...section(
      7,
      functions.map(({ name }, index) => [...text(name), 0x00, ...unsigned(index)])
    ),
    ...section(
      10,
      functions.map((code) => sized([...localsOf(code), ...code.body, 0x0b]))
    )
  ])
}

function localsOf({ integers, floats, vectors }: FunctionCode): Code {
  return many([
    [...unsigned(integers), types.i32],
    [...unsigned(floats), types.f32],
    [...unsigned(vectors), types.v128]
  ])
}

function section(id: number, items: readonly Code[]): Code {
  return [id, ...sized(many(items))]
}

function many(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()]
}

function sized(bytes: Code): Code {
  return [...unsigned(bytes.length), ...bytes]
}

function text(letters: string): Code {
  return sized([...new TextEncoder().encode(letters)])
}

function vector(instruction: number): Code {
  return [0xfd, ...unsigned(instruction)]
}

/** LEB128: seven bits a byte, the lowest first. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

/** The same for numbers with a sign, whose last byte says by its bit 6 what follows. */
function signed(value: number): number[] {
  return value >= -0x40 && value < 0x40 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]
}
