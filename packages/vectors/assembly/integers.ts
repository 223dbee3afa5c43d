import { sizeOf } from './bits'
import { codes, largest, numbers, randomState, reference } from './layout'

/** How many numbers share a scale. */
export const groupLength: i32 = 256

/** Numbers in units of the scale are first rounded to this many bits behind the point, and then at random. */
const fractionBits: i32 = 15

/** 1.5 · 2²³ as bits: adding it rounds a number to an integer, which is then in the lower bits. */
const anchor: i32 = 0x4b40_0000

/** The largest integers of 8 and of 4 bits. */
const top8: i32 = 127
const top4: i32 = 7

/**
 * 127 · 2⁻¹¹⁰ as bits, the least |x| that a scale is computed from. Smaller scales would be inexact or zero, and their
 * inverses infinite; with these, rounding small numbers at random still keeps their mean.
 */
const smallest: i32 = 0x0bfe_0000

/** Bits of the largest |x| for which the largest integer times the scale does not overflow; larger ones saturate. */
const maxSize: i32 = 0x7f7f_fff8

/**
 * The next four times 32 bits of xorshift128 (Marsaglia, Journal of Statistical Software 8(14), 2003); each lane is a
 * generator of its own. They replace the oldest of the four state vectors.
 */
@inline
function draw(oldest: v128, newest: v128): v128 {
  const shifted = v128.xor(oldest, i32x4.shl(oldest, 11))
  const mixed = v128.xor(shifted, i32x4.shr_u(shifted, 8))
  return v128.xor(v128.xor(newest, i32x4.shr_u(newest, 19)), mixed)
}

/** The upper and lower 15 bits of a draw: two times four numbers, drawn evenly from 0 … 2¹⁵ − 1. */
@inline
function upper(drawn: v128): v128 {
  return i32x4.shr_u(drawn, 32 - fractionBits)
}
@inline
function lower(drawn: v128): v128 {
  return v128.and(drawn, i32x4.splat((1 << fractionBits) - 1))
}

/**
 * An integer v = x / scale · 2¹⁵ becomes ⌊(v + u) / 2¹⁵⌋ with u drawn evenly from 0 … 2¹⁵ − 1, whose mean is v / 2¹⁵.
 */
@inline
function round(x: v128, inverse: v128, drawn: v128, top: i32): v128 {
  const scaled = f32x4.add(f32x4.mul(x, inverse), f32x4.splat(reinterpret<f32>(anchor)))
  const floor = i32x4.shr_s(i32x4.add(scaled, drawn), fractionBits)
  const integer = i32x4.min_s(i32x4.sub(floor, i32x4.splat(anchor >> fractionBits)), i32x4.splat(top))
  return i32x4.max_s(integer, i32x4.splat(-top))
}

@inline
function bytesOf(a: v128, b: v128, c: v128, d: v128): v128 {
  return i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(a, b), i16x8.narrow_i32x4_s(c, d))
}

/** Integers of 4 bits: those of `first` become the lower halves of the bytes, those of `second` the upper ones. */
@inline
function halvesOf(first: v128, second: v128): v128 {
  const upper = v128.and(i16x8.shl(second, 4), i8x16.splat(-16))
  return v128.or(v128.and(first, i8x16.splat(0x0f)), upper)
}

/** The scale of a group with this largest |x|, in all lanes. */
@inline
function scaleOf(size: v128, top: i32): v128 {
  let max = i32x4.max_s(size, i32x4.shuffle(size, size, 2, 3, 0, 1))
  max = i32x4.max_s(max, i32x4.shuffle(max, max, 1, 0, 3, 2))
  max = i32x4.min_s(i32x4.max_s(max, i32x4.splat(smallest)), i32x4.splat(maxSize))
  return f32x4.div(max, f32x4.splat(<f32>top))
}

@inline
function valueOf(integer: v128, scale: v128): v128 {
  return f32x4.mul(f32x4.convert_i32x4_s(integer), scale)
}

@inline
function encode(end: usize, delta: bool, top: i32): void {
  let from = numbers
  let known = reference
  let to = codes
  let seen = i32x4.splat(0)
  let s0 = v128.load(randomState)
  let s1 = v128.load(randomState, 16)
  let s2 = v128.load(randomState, 32)
  let s3 = v128.load(randomState, 48)
  do {
    const last = from + 4 * groupLength
    let size = i32x4.splat(0)
    let change = known
    for (let at = from; at < last; at += 64) {
      let a = v128.load(at)
      let b = v128.load(at, 16)
      let c = v128.load(at, 32)
      let d = v128.load(at, 48)
      if (delta) {
        a = f32x4.sub(a, v128.load(change))
        b = f32x4.sub(b, v128.load(change, 16))
        c = f32x4.sub(c, v128.load(change, 32))
        d = f32x4.sub(d, v128.load(change, 48))
        v128.store(at, a)
        v128.store(at, b, 16)
        v128.store(at, c, 32)
        v128.store(at, d, 48)
        change += 64
      }
      size = i32x4.max_s(i32x4.max_s(size, sizeOf(a)), sizeOf(b))
      size = i32x4.max_s(i32x4.max_s(size, sizeOf(c)), sizeOf(d))
    }
    seen = i32x4.max_s(seen, size)
    const scale = scaleOf(size, top)
    const inverse = f32x4.div(f32x4.splat(<f32>(1 << fractionBits)), scale)
    v128.store32_lane(to, scale, 0)
    to += 4
    do {
      s0 = draw(s0, s3)
      s1 = draw(s1, s0)
      const a = round(v128.load(from), inverse, upper(s0), top)
      const b = round(v128.load(from, 16), inverse, lower(s0), top)
      const c = round(v128.load(from, 32), inverse, upper(s1), top)
      const d = round(v128.load(from, 48), inverse, lower(s1), top)
      s2 = draw(s2, s1)
      s3 = draw(s3, s2)
      const e = round(v128.load(from, 64), inverse, upper(s2), top)
      const f = round(v128.load(from, 80), inverse, lower(s2), top)
      const g = round(v128.load(from, 96), inverse, upper(s3), top)
      const h = round(v128.load(from, 112), inverse, lower(s3), top)
      const first = bytesOf(a, b, c, d)
      const second = bytesOf(e, f, g, h)
      if (top === top4) {
        v128.store(to, halvesOf(first, second))
      } else {
        v128.store(to, first)
        v128.store(to, second, 16)
      }
      if (delta) {
        seen = follow(seen, known, a, b, scale)
        seen = follow(seen, known + 32, c, d, scale)
        seen = follow(seen, known + 64, e, f, scale)
        seen = follow(seen, known + 96, g, h, scale)
        known += 128
      }
      from += 128
      to += top === top4 ? 16 : 32
    } while (from < last)
  } while (from < end)
  v128.store(randomState, s0)
  v128.store(randomState, s1, 16)
  v128.store(randomState, s2, 32)
  v128.store(randomState, s3, 48)
  v128.store(largest, seen)
}

/** Adds eight changes to the reference, as the receiver does, and returns the magnitudes of the sums. */
@inline
function follow(seen: v128, known: usize, first: v128, second: v128, scale: v128): v128 {
  const a = f32x4.add(v128.load(known), valueOf(first, scale))
  const b = f32x4.add(v128.load(known, 16), valueOf(second, scale))
  v128.store(known, a)
  v128.store(known, b, 16)
  return i32x4.max_s(i32x4.max_s(seen, sizeOf(a)), sizeOf(b))
}

/** Encodes the numbers up to the address `end`. */
export function encodeInt8(end: usize): void {
  encode(end, false, top8)
}
export function encodeInt4(end: usize): void {
  encode(end, false, top4)
}

/** Encodes their changes since the reference, which is updated. */
export function encodeDeltaInt8(end: usize): void {
  encode(end, true, top8)
}
export function encodeDeltaInt4(end: usize): void {
  encode(end, true, top4)
}

/** Decodes sixteen numbers. Returns the largest of their magnitudes and `seen`. */
@inline
function spread(seen: v128, bytes: v128, scale: v128, to: usize, delta: bool): v128 {
  const low = i16x8.extend_low_i8x16_s(bytes)
  const high = i16x8.extend_high_i8x16_s(bytes)
  let a = valueOf(i32x4.extend_low_i16x8_s(low), scale)
  let b = valueOf(i32x4.extend_high_i16x8_s(low), scale)
  let c = valueOf(i32x4.extend_low_i16x8_s(high), scale)
  let d = valueOf(i32x4.extend_high_i16x8_s(high), scale)
  if (delta) {
    a = f32x4.add(v128.load(to), a)
    b = f32x4.add(v128.load(to, 16), b)
    c = f32x4.add(v128.load(to, 32), c)
    d = f32x4.add(v128.load(to, 48), d)
  }
  v128.store(to, a)
  v128.store(to, b, 16)
  v128.store(to, c, 32)
  v128.store(to, d, 48)
  const larger = i32x4.max_s(i32x4.max_s(seen, sizeOf(a)), sizeOf(b))
  return i32x4.max_s(i32x4.max_s(larger, sizeOf(c)), sizeOf(d))
}

@inline
function decode(end: usize, delta: bool, top: i32): void {
  let to = numbers
  let from = codes
  let seen = i32x4.splat(0)
  do {
    const last = to + 4 * groupLength
    const scale = v128.load32_splat(from)
    from += 4
    do {
      const bytes = v128.load(from)
      if (top === top4) {
        seen = spread(seen, i8x16.shr_s(i8x16.shl(bytes, 4), 4), scale, to, delta)
        seen = spread(seen, i8x16.shr_s(bytes, 4), scale, to + 64, delta)
        to += 128
      } else {
        seen = spread(seen, bytes, scale, to, delta)
        to += 64
      }
      from += 16
    } while (to < last)
  } while (to < end)
  v128.store(largest, seen)
}

/** Decodes the numbers up to the address `end`. */
export function decodeInt8(end: usize): void {
  decode(end, false, top8)
}
export function decodeInt4(end: usize): void {
  decode(end, false, top4)
}

/** The sum of the reference and the changes. */
export function decodeDeltaInt8(end: usize): void {
  decode(end, true, top8)
}
export function decodeDeltaInt4(end: usize): void {
  decode(end, true, top4)
}
