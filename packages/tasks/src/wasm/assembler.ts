/**
 * As much of WebAssembly's binary format as the kernels of this package need (W3C, WebAssembly Core Specification 2.0,
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

/** Memory is addressed in bytes: that which `address` gives, and `offset` beyond it. */
export const loadInteger = (address: Code): Code => [...address, 0x28, 2, 0]
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

/** Four float32 numbers side by side. */
export const float32x4 = {
  zero: [...vector(0x0c), ...Array.from({ length: 16 }, () => 0)] as Code,
  lane: (value: Code, index: number): Code => [...value, ...vector(0x1f), index],
  splat: (value: Code): Code => [...value, ...vector(0x13)],
  add: (left: Code, right: Code): Code => [...left, ...right, ...vector(0xe4)],
  multiply: (left: Code, right: Code): Code => [...left, ...right, ...vector(0xe6)]
}

/** Two float64 numbers side by side. */
export const float64x2 = {
  /** Twice a float32 number. */
  splat: (value: Code): Code => [...value, 0xbb, ...vector(0x14)],
  add: (left: Code, right: Code): Code => [...left, ...right, ...vector(0xf0)],
  multiply: (left: Code, right: Code): Code => [...left, ...right, ...vector(0xf2)]
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

/** The module with these functions, which computes in the memory that it imports as `memory.memory`. */
export function assemble(functions: readonly FunctionCode[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(
      1,
      functions.map(({ parameters }) => [0x60, ...many(Array.from({ length: parameters }, () => [types.i32])), 0])
    ),
    ...section(2, [[...text('memory'), ...text('memory'), 0x02, 0x00, 0x00]]),
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
