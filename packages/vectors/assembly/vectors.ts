// Functions over vectors whose addresses are in a table with a line for each vector: its address (uint32), and a
// float64 number that belongs to it. `end` is the address behind the last line, `result` the address of results that
// are not vectors, and `bytes` the length of every vector, a multiple of `stepBytes` and not 0.

export const lineBytes: i32 = 16
export const factorOffset: i32 = 8
export const resultBytes: i32 = 64

/** What is computed side by side: a line of the cache, 16 numbers. */
export const stepBytes: i32 = 64

/** `sum + factor · x` of two float32 numbers, in float64. */
@inline
function addMultiple(sum: v128, factor: v128, x: v128): v128 {
  return f64x2.add(sum, f64x2.mul(factor, f64x2.promote_low_f32x4(x)))
}

/** `out[i] = Σ_t factor_t · vector_t[i]`: `out` in the first line, a term in every other. Begins with +0. */
export function sum(table: usize, end: usize, result: usize, bytes: usize): void {
  let out: usize = load<usize>(table)
  let at: usize = 0
  do {
    let a = f64x2.splat(0)
    let b = f64x2.splat(0)
    let c = f64x2.splat(0)
    let d = f64x2.splat(0)
    let e = f64x2.splat(0)
    let f = f64x2.splat(0)
    let g = f64x2.splat(0)
    let h = f64x2.splat(0)
    let line = table + lineBytes
    do {
      const x = load<usize>(line) + at
      const factor = v128.load64_splat(line, factorOffset)
      a = addMultiple(a, factor, v128.load64_zero(x))
      b = addMultiple(b, factor, v128.load64_zero(x, 8))
      c = addMultiple(c, factor, v128.load64_zero(x, 16))
      d = addMultiple(d, factor, v128.load64_zero(x, 24))
      e = addMultiple(e, factor, v128.load64_zero(x, 32))
      f = addMultiple(f, factor, v128.load64_zero(x, 40))
      g = addMultiple(g, factor, v128.load64_zero(x, 48))
      h = addMultiple(h, factor, v128.load64_zero(x, 56))
      line += lineBytes
    } while (line < end)
    v128.store64_lane(out, f32x4.demote_f64x2_zero(a), 0)
    v128.store64_lane(out, f32x4.demote_f64x2_zero(b), 0, 8)
    v128.store64_lane(out, f32x4.demote_f64x2_zero(c), 0, 16)
    v128.store64_lane(out, f32x4.demote_f64x2_zero(d), 0, 24)
    v128.store64_lane(out, f32x4.demote_f64x2_zero(e), 0, 32)
    v128.store64_lane(out, f32x4.demote_f64x2_zero(f), 0, 40)
    v128.store64_lane(out, f32x4.demote_f64x2_zero(g), 0, 48)
    v128.store64_lane(out, f32x4.demote_f64x2_zero(h), 0, 56)
    out += stepBytes
    at += stepBytes
  } while (at < bytes)
}

@inline
function addSquare(sum: v128, x: v128, y: v128): v128 {
  const difference = f64x2.sub(f64x2.promote_low_f32x4(x), f64x2.promote_low_f32x4(y))
  return f64x2.add(sum, f64x2.mul(difference, difference))
}

/**
 * Adds `(x[i] − y[i])²` to the float64 number `i mod 8` of the result. The order of the additions is part of the
 * result.
 */
export function squares(table: usize, end: usize, result: usize, bytes: usize): void {
  let x = load<usize>(table)
  let y = load<usize>(table + lineBytes)
  let a = v128.load(result)
  let b = v128.load(result, 16)
  let c = v128.load(result, 32)
  let d = v128.load(result, 48)
  let at: usize = 0
  do {
    a = addSquare(a, v128.load64_zero(x), v128.load64_zero(y))
    b = addSquare(b, v128.load64_zero(x, 8), v128.load64_zero(y, 8))
    c = addSquare(c, v128.load64_zero(x, 16), v128.load64_zero(y, 16))
    d = addSquare(d, v128.load64_zero(x, 24), v128.load64_zero(y, 24))
    a = addSquare(a, v128.load64_zero(x, 32), v128.load64_zero(y, 32))
    b = addSquare(b, v128.load64_zero(x, 40), v128.load64_zero(y, 40))
    c = addSquare(c, v128.load64_zero(x, 48), v128.load64_zero(y, 48))
    d = addSquare(d, v128.load64_zero(x, 56), v128.load64_zero(y, 56))
    x += stepBytes
    y += stepBytes
    at += stepBytes
  } while (at < bytes)
  v128.store(result, a)
  v128.store(result, b, 16)
  v128.store(result, c, 32)
  v128.store(result, d, 48)
}

@inline
function larger(max: v128, x: v128): v128 {
  return i32x4.max_u(max, v128.and(i32x4.splat(0x7fff_ffff), x))
}

/** Raises the first four integers of the result to the magnitudes' bits, where those are larger. */
export function magnitude(table: usize, end: usize, result: usize, bytes: usize): void {
  let x = load<usize>(table)
  let a = v128.load(result)
  let b = a
  let c = a
  let d = a
  let at: usize = 0
  do {
    a = larger(a, v128.load(x))
    b = larger(b, v128.load(x, 16))
    c = larger(c, v128.load(x, 32))
    d = larger(d, v128.load(x, 48))
    x += stepBytes
    at += stepBytes
  } while (at < bytes)
  v128.store(result, i32x4.max_u(i32x4.max_u(a, b), i32x4.max_u(c, d)))
}

/**
 * Reads one number of every cache line of all vectors, into a part of the result that no other kernel uses with it. A
 * kernel that writes where it reads runs ahead too little to keep the memory busy; pure reads overlap many at a time.
 */
export function touch(table: usize, end: usize, result: usize, bytes: usize): void {
  let seen = i32x4.splat(0)
  let line = table
  do {
    let x = load<usize>(line)
    let at: usize = 0
    do {
      seen = v128.or(seen, v128.load(x))
      x += stepBytes
      at += stepBytes
    } while (at < bytes)
    line += lineBytes
  } while (line < end)
  v128.store(result, seen, 16)
}
