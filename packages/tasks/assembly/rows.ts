// The two products of a linear model, for some rows of a matrix X of float32 numbers. All sums run in float32 in an
// order that depends only on the shapes, so that the bits are the same on every machine. All arguments are addresses or
// lengths in bytes; `batch` to `end` are the numbers of the rows (uint32), at least one; `stride` is the length of a
// row.

/** How many numbers of a row are computed side by side: the length of a row is a multiple of it. */
export const rowStep: i32 = 16

const stepBytes: usize = 4 * rowStep

@inline
function addProduct(sum: v128, x: v128, y: v128): v128 {
  return f32x4.add(sum, f32x4.mul(x, y))
}

/** `scores[b] = Σ_i X[batch[b], i] · weights[i]` */
export function scoreRows(batch: usize, end: usize, rows: usize, stride: usize, weights: usize, scores: usize): void {
  do {
    let row = rows + load<usize>(batch) * stride
    const rowEnd = row + stride
    let weight = weights
    let a = f32x4.splat(0)
    let b = f32x4.splat(0)
    let c = f32x4.splat(0)
    let d = f32x4.splat(0)
    do {
      a = addProduct(a, v128.load(row), v128.load(weight))
      b = addProduct(b, v128.load(row, 16), v128.load(weight, 16))
      c = addProduct(c, v128.load(row, 32), v128.load(weight, 32))
      d = addProduct(d, v128.load(row, 48), v128.load(weight, 48))
      row += stepBytes
      weight += stepBytes
    } while (row < rowEnd)
    const four = f32x4.add(f32x4.add(a, b), f32x4.add(c, d))
    const first = f32x4.extract_lane(four, 0) + f32x4.extract_lane(four, 1)
    store<f32>(scores, first + (f32x4.extract_lane(four, 2) + f32x4.extract_lane(four, 3)))
    batch += 4
    scores += 4
  } while (batch < end)
}

/** `out[i] = Σ_b factors[b] · X[batch[b], i]` */
export function combineRows(batch: usize, end: usize, rows: usize, stride: usize, factors: usize, out: usize): void {
  let column: usize = 0
  do {
    let next = batch
    let factor = factors
    let a = f32x4.splat(0)
    let b = f32x4.splat(0)
    let c = f32x4.splat(0)
    let d = f32x4.splat(0)
    do {
      const row = rows + load<usize>(next) * stride + column
      const wide = v128.load32_splat(factor)
      a = addProduct(a, wide, v128.load(row))
      b = addProduct(b, wide, v128.load(row, 16))
      c = addProduct(c, wide, v128.load(row, 32))
      d = addProduct(d, wide, v128.load(row, 48))
      next += 4
      factor += 4
    } while (next < end)
    v128.store(out, a)
    v128.store(out, b, 16)
    v128.store(out, c, 32)
    v128.store(out, d, 48)
    out += stepBytes
    column += stepBytes
  } while (column < stride)
}
