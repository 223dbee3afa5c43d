// Tiles of products: the rows and columns that are computed together. An element is the sum of its terms in their
// order, in every kind of tile. `rows` and `terms` are tables of addresses as in products.ts; a row of a panel lies
// `step` after the previous one.

/** Rows of a tile. */
export const tileRows: i32 = 5

/** Columns of a panel. */
export const panelColumns: i32 = 8

@inline
function put(out: usize, left: v128, right: v128): void {
  v128.store(out, left)
  v128.store(out, right, 16)
}

@inline
function add(out: usize, left: v128, right: v128): void {
  put(out, f32x4.add(v128.load(out), left), f32x4.add(v128.load(out, 16), right))
}

/**
 * Five rows by one panel, which stay in registers: 10 sums, 2 vectors of the panel and 2 for values of a row are 14 of
 * the 15 that V8 has on x86-64. With 6 rows, with a loop around this one, or inlined into `multiply`, V8 moves sums to
 * and from the stack, and takes twice as long. products.ts exports it to prevent inlining.
 */
export function tile(
  rows: usize, terms: usize, length: i32, panel: usize, step: usize, out: usize, stride: usize, adds: bool
): void {
  const a = load<usize>(rows)
  const b = load<usize>(rows, 4)
  const c = load<usize>(rows, 8)
  const d = load<usize>(rows, 12)
  const e = load<usize>(rows, 16)
  let a0 = f32x4.splat(0)
  let a1 = f32x4.splat(0)
  let b0 = f32x4.splat(0)
  let b1 = f32x4.splat(0)
  let c0 = f32x4.splat(0)
  let c1 = f32x4.splat(0)
  let d0 = f32x4.splat(0)
  let d1 = f32x4.splat(0)
  let e0 = f32x4.splat(0)
  let e1 = f32x4.splat(0)
  for (; length > 0; length--) {
    const term = load<usize>(terms)
    terms += 4
    const left = v128.load(panel)
    const right = v128.load(panel, 16)
    let x = v128.load32_splat(a + term)
    a0 = f32x4.add(a0, f32x4.mul(x, left))
    a1 = f32x4.add(a1, f32x4.mul(x, right))
    x = v128.load32_splat(b + term)
    b0 = f32x4.add(b0, f32x4.mul(x, left))
    b1 = f32x4.add(b1, f32x4.mul(x, right))
    x = v128.load32_splat(c + term)
    c0 = f32x4.add(c0, f32x4.mul(x, left))
    c1 = f32x4.add(c1, f32x4.mul(x, right))
    x = v128.load32_splat(d + term)
    d0 = f32x4.add(d0, f32x4.mul(x, left))
    d1 = f32x4.add(d1, f32x4.mul(x, right))
    x = v128.load32_splat(e + term)
    e0 = f32x4.add(e0, f32x4.mul(x, left))
    e1 = f32x4.add(e1, f32x4.mul(x, right))
    panel += step
  }
  if (adds) {
    add(out, a0, a1)
    add(out + stride, b0, b1)
    add(out + 2 * stride, c0, c1)
    add(out + 3 * stride, d0, d1)
    add(out + 4 * stride, e0, e1)
  } else {
    put(out, a0, a1)
    put(out + stride, b0, b1)
    put(out + 2 * stride, c0, c1)
    put(out + 3 * stride, d0, d1)
    put(out + 4 * stride, e0, e1)
  }
}

/**
 * Two rows by two panels, of which the second begins `next` after the first: 8 sums, enough to hide the latency of
 * additions.
 */
export function pair(
  rows: usize, terms: usize, length: i32, panel: usize, next: usize, step: usize, out: usize, stride: usize, adds: bool
): void {
  const a = load<usize>(rows)
  const b = load<usize>(rows, 4)
  let a0 = f32x4.splat(0)
  let a1 = f32x4.splat(0)
  let a2 = f32x4.splat(0)
  let a3 = f32x4.splat(0)
  let b0 = f32x4.splat(0)
  let b1 = f32x4.splat(0)
  let b2 = f32x4.splat(0)
  let b3 = f32x4.splat(0)
  for (; length > 0; length--) {
    const term = load<usize>(terms)
    terms += 4
    const x = v128.load32_splat(a + term)
    const y = v128.load32_splat(b + term)
    let right = v128.load(panel)
    a0 = f32x4.add(a0, f32x4.mul(x, right))
    b0 = f32x4.add(b0, f32x4.mul(y, right))
    right = v128.load(panel, 16)
    a1 = f32x4.add(a1, f32x4.mul(x, right))
    b1 = f32x4.add(b1, f32x4.mul(y, right))
    right = v128.load(panel + next)
    a2 = f32x4.add(a2, f32x4.mul(x, right))
    b2 = f32x4.add(b2, f32x4.mul(y, right))
    right = v128.load(panel + next, 16)
    a3 = f32x4.add(a3, f32x4.mul(x, right))
    b3 = f32x4.add(b3, f32x4.mul(y, right))
    panel += step
  }
  if (adds) {
    add(out, a0, a1)
    add(out + 32, a2, a3)
    add(out + stride, b0, b1)
    add(out + stride + 32, b2, b3)
  } else {
    put(out, a0, a1)
    put(out + 32, a2, a3)
    put(out + stride, b0, b1)
    put(out + stride + 32, b2, b3)
  }
}

/** One row by four panels, each `next` after the previous one. */
export function line(
  rows: usize, terms: usize, length: i32, panel: usize, next: usize, step: usize, out: usize, adds: bool
): void {
  const a = load<usize>(rows)
  let a0 = f32x4.splat(0)
  let a1 = f32x4.splat(0)
  let a2 = f32x4.splat(0)
  let a3 = f32x4.splat(0)
  let a4 = f32x4.splat(0)
  let a5 = f32x4.splat(0)
  let a6 = f32x4.splat(0)
  let a7 = f32x4.splat(0)
  let second = panel + 2 * next
  for (; length > 0; length--) {
    const x = v128.load32_splat(a + load<usize>(terms))
    terms += 4
    a0 = f32x4.add(a0, f32x4.mul(x, v128.load(panel)))
    a1 = f32x4.add(a1, f32x4.mul(x, v128.load(panel, 16)))
    a2 = f32x4.add(a2, f32x4.mul(x, v128.load(panel + next)))
    a3 = f32x4.add(a3, f32x4.mul(x, v128.load(panel + next, 16)))
    a4 = f32x4.add(a4, f32x4.mul(x, v128.load(second)))
    a5 = f32x4.add(a5, f32x4.mul(x, v128.load(second, 16)))
    a6 = f32x4.add(a6, f32x4.mul(x, v128.load(second + next)))
    a7 = f32x4.add(a7, f32x4.mul(x, v128.load(second + next, 16)))
    panel += step
    second += step
  }
  if (adds) {
    add(out, a0, a1)
    add(out + 32, a2, a3)
    add(out + 64, a4, a5)
    add(out + 96, a6, a7)
  } else {
    put(out, a0, a1)
    put(out + 32, a2, a3)
    put(out + 64, a4, a5)
    put(out + 96, a6, a7)
  }
}

/**
 * The last rows, fewer than a tile has: in pairs, then a single one, by as many columns as their tiles fill. Returns
 * the number of these columns. The arguments are those of `multiply`.
 */
export function few(
  rows: usize, height: i32, terms: usize, length: i32, panels: usize, next: usize, step: usize, columns: i32, out: usize, stride: usize,
  adds: bool
): i32 {
  const done = columns & ~(height & 1 ? 31 : 15)
  for (; height > 1; height -= 2) {
    let panel = panels
    for (let column = 0; column < done; column += 16) {
      pair(rows, terms, length, panel, next, step, out + (<usize>column << 2), stride, adds)
      panel += 2 * next
    }
    rows += 8
    out += 2 * stride
  }
  if (height == 0) return done
  for (let column = 0; column < done; column += 32) {
    line(rows, terms, length, panels, next, step, out + (<usize>column << 2), adds)
    panels += 4 * next
  }
  return done
}
