import { sizeOf } from './bits'
import { codes, largest, numbers, reference } from './layout'

/** How many numbers are computed side by side. */
export const halfStep: i32 = 8

/** The largest finite number of each format, 65,504 and (2 − 2⁻⁷) · 2¹²⁷, as bits of float32. */
const maxFloat16: i32 = 0x477f_e000
const maxBfloat16: i32 = 0x7f7f_0000

/** The power of two in |x|, as bits; at least 2⁻¹⁴, which gives subnormal numbers their fewer bits. */
@inline
function powerOf(size: v128): v128 {
  return v128.and(i32x4.max_s(size, i32x4.splat(113 << 23)), i32x4.splat(0x7f80_0000))
}

/** 2¹³ times the power of two in |x|: adding it makes the addition round to the 11 bits that are kept, ties to even. */
@inline
function anchorOf(size: v128): v128 {
  return i32x4.add(powerOf(size), i32x4.splat(13 << 23))
}

/**
 * IEEE 754 binary16, of |x| and the sign of x. The bits of the sum below the power are the significand. Adding it to
 * the exponent less one makes a carry, or a missing leading bit, come out right.
 */
@inline
function float16Code(size: v128, sign: v128): v128 {
  const exponent = i32x4.sub(i32x4.shr_u(powerOf(size), 13), i32x4.splat(113 << 10))
  const significand = i32x4.sub(f32x4.add(size, anchorOf(size)), anchorOf(size))
  return v128.or(i32x4.shr_u(sign, 16), i32x4.add(significand, exponent))
}

/** The number that the code stands for. */
@inline
function float16Rounded(size: v128, sign: v128): v128 {
  return v128.or(f32x4.sub(f32x4.add(size, anchorOf(size)), anchorOf(size)), sign)
}

/** The upper half of float32. Adding just under a half, and the last bit that is kept, rounds ties to even. */
@inline
function bfloat16Sum(size: v128, sign: v128): v128 {
  const even = v128.and(i32x4.shr_u(size, 16), i32x4.splat(1))
  return v128.or(sign, i32x4.add(size, i32x4.add(i32x4.splat(0x7fff), even)))
}

@inline
function codeOf(x: v128, brain: bool): v128 {
  const size = i32x4.min_s(sizeOf(x), i32x4.splat(brain ? maxBfloat16 : maxFloat16))
  const sign = v128.xor(x, sizeOf(x))
  return brain ? i32x4.shr_u(bfloat16Sum(size, sign), 16) : float16Code(size, sign)
}

@inline
function roundedOf(x: v128, brain: bool): v128 {
  const size = i32x4.min_s(sizeOf(x), i32x4.splat(brain ? maxBfloat16 : maxFloat16))
  const sign = v128.xor(x, sizeOf(x))
  return brain ? v128.and(bfloat16Sum(size, sign), i32x4.splat(0xffff_0000)) : float16Rounded(size, sign)
}

@inline
function encode(end: usize, delta: bool, brain: bool): void {
  let known = reference
  let to = codes
  let seen = i32x4.splat(0)
  let from = numbers
  do {
    let a = v128.load(from)
    let b = v128.load(from, 16)
    if (delta) {
      a = f32x4.sub(a, v128.load(known))
      b = f32x4.sub(b, v128.load(known, 16))
    }
    seen = i32x4.max_s(i32x4.max_s(seen, sizeOf(a)), sizeOf(b))
    v128.store(to, i16x8.narrow_i32x4_u(codeOf(a, brain), codeOf(b, brain)))
    if (delta) {
      a = f32x4.add(v128.load(known), roundedOf(a, brain))
      b = f32x4.add(v128.load(known, 16), roundedOf(b, brain))
      v128.store(known, a)
      v128.store(known, b, 16)
      seen = i32x4.max_s(i32x4.max_s(seen, sizeOf(a)), sizeOf(b))
      known += 32
    }
    from += 32
    to += 16
  } while (from < end)
  v128.store(largest, seen)
}

/** Encodes the numbers up to the address `end`; with `Delta`, their changes since the reference, which is updated. */
export function encodeFloat16(end: usize): void {
  encode(end, false, false)
}
export function encodeDeltaFloat16(end: usize): void {
  encode(end, true, false)
}
export function encodeBfloat16(end: usize): void {
  encode(end, false, true)
}
export function encodeDeltaBfloat16(end: usize): void {
  encode(end, true, true)
}

/** Numbers without a leading bit are computed with one that is then subtracted; NaN and infinity become NaN. */
@inline
function float16Value(code: v128): v128 {
  const size = i32x4.shr_u(i32x4.shl(code, 17), 4)
  const normal = i32x4.add(size, i32x4.splat(112 << 23))
  const hidden = i32x4.splat(113 << 23)
  const subnormal = f32x4.sub(i32x4.add(size, hidden), hidden)
  const value = v128.bitselect(normal, subnormal, i32x4.gt_s(size, i32x4.splat((1 << 23) - 1)))
  const sign = v128.and(i32x4.shl(code, 16), i32x4.splat(0x8000_0000))
  return v128.or(v128.or(value, sign), i32x4.gt_s(size, i32x4.splat((0x7c00 << 13) - 1)))
}

@inline
function valueOf(code: v128, brain: bool): v128 {
  return brain ? i32x4.shl(code, 16) : float16Value(code)
}

@inline
function decode(end: usize, delta: bool, brain: bool): void {
  let from = codes
  let seen = i32x4.splat(0)
  let to = numbers
  do {
    const both = v128.load(from)
    let a = valueOf(i32x4.extend_low_i16x8_u(both), brain)
    let b = valueOf(i32x4.extend_high_i16x8_u(both), brain)
    if (delta) {
      a = f32x4.add(v128.load(to), a)
      b = f32x4.add(v128.load(to, 16), b)
    }
    v128.store(to, a)
    v128.store(to, b, 16)
    seen = i32x4.max_s(i32x4.max_s(seen, sizeOf(a)), sizeOf(b))
    from += 16
    to += 32
  } while (to < end)
  v128.store(largest, seen)
}

/** Decodes the numbers up to the address `end`; with `Delta`, the sum of the reference and the changes. */
export function decodeFloat16(end: usize): void {
  decode(end, false, false)
}
export function decodeDeltaFloat16(end: usize): void {
  decode(end, true, false)
}
export function decodeBfloat16(end: usize): void {
  decode(end, false, true)
}
export function decodeDeltaBfloat16(end: usize): void {
  decode(end, true, true)
}
