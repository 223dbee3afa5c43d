import { type Code, constant, int32x4, set, storeVector } from '../../wasm/assembler.js'

/** How many numbers kernels take at a time: a multiple of {@link groupLength}, and few enough to stay in the cache. */
export const blockLength = 8192

/** How many numbers of int8 share a scale. */
export const groupLength = 256

/** Where in the scratch memory things lie, in bytes. */
export const layout = {
  /** A block of numbers: those to encode, or those that were decoded. */
  numbers: 0,
  /** The reference of the same numbers. */
  reference: 0x8000,
  /** A block as it is in a body, or the numbers that were picked and their places. */
  codes: 0x1_0000,
  /** Numbers of numbers: {@link tallyLength} integers. */
  tally: 0x2_0000,
  /** Four integers, the largest of which is the largest |x| as bits: of a float32 number without its sign. */
  worst: 0x2_4000,
  /** Four vectors of four integers each: the state of the dice. */
  dice: 0x2_4010,
  /** An integer: the address behind the last number that was picked. */
  end: 0x2_4050
} as const

export const pages = 3
export const tallyLength = 4096

/** Bits of float32: all but the sign, and infinity, which is less than all NaN. */
export const sizeBits = 0x7fff_ffff
export const infiniteBits = 0x7f80_0000

/** These 32 bits in all lanes. */
export const every = (bits: number): Code => int32x4.splat(constant(bits | 0))

/** Sets vectors, numbered from `first` on, to these bits in all lanes. */
export const setAll = (first: number, bits: readonly number[]): Code =>
  bits.flatMap((pattern, index) => set(first + index, every(pattern)))

/** Bits of a float32 number. */
export function bitsOf(value: number): number {
  const view = new DataView(new ArrayBuffer(4))
  view.setFloat32(0, value)
  return view.getUint32(0)
}

/** Writes the largest numbers of all lanes where JavaScript looks for them. */
export const keepWorst = (worst: Code): Code => storeVector(constant(layout.worst), 0, worst)
