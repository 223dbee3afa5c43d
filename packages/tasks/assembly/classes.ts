// The two products of a linear model with several classes, for one sample x of float32 numbers and a matrix of float64
// numbers as [inputs, classes], the classes padded to an even number. Each sum runs over the inputs in their order,
// independently of other classes; two classes are computed side by side, and inputs of 0 are skipped. All arguments are
// addresses, except `stride`, the bytes of a row of the matrix; `x` to `end` is the sample. Each pass over the sample
// computes up to 16 classes, so that the values of a class stay in a register.

@inline
function addProduct(sum: v128, x: v128, y: v128): v128 {
  return f64x2.add(sum, f64x2.mul(x, y))
}

/** For 2n classes. */
@inline
function scoreSome(n: i32, x: usize, end: usize, row: usize, stride: usize, scores: usize): void {
  let a = v128.load(scores)
  let b = a
  let c = a
  let d = a
  let e = a
  let f = a
  let g = a
  let h = a
  if (n > 1) b = v128.load(scores, 16)
  if (n > 2) c = v128.load(scores, 32)
  if (n > 3) d = v128.load(scores, 48)
  if (n > 4) e = v128.load(scores, 64)
  if (n > 5) f = v128.load(scores, 80)
  if (n > 6) g = v128.load(scores, 96)
  if (n > 7) h = v128.load(scores, 112)
  do {
    const input = load<f32>(x)
    if (input != 0) {
      const wide = f64x2.splat(<f64>input)
      a = addProduct(a, wide, v128.load(row))
      if (n > 1) b = addProduct(b, wide, v128.load(row, 16))
      if (n > 2) c = addProduct(c, wide, v128.load(row, 32))
      if (n > 3) d = addProduct(d, wide, v128.load(row, 48))
      if (n > 4) e = addProduct(e, wide, v128.load(row, 64))
      if (n > 5) f = addProduct(f, wide, v128.load(row, 80))
      if (n > 6) g = addProduct(g, wide, v128.load(row, 96))
      if (n > 7) h = addProduct(h, wide, v128.load(row, 112))
    }
    row += stride
    x += 4
  } while (x < end)
  v128.store(scores, a)
  if (n > 1) v128.store(scores, b, 16)
  if (n > 2) v128.store(scores, c, 32)
  if (n > 3) v128.store(scores, d, 48)
  if (n > 4) v128.store(scores, e, 64)
  if (n > 5) v128.store(scores, f, 80)
  if (n > 6) v128.store(scores, g, 96)
  if (n > 7) v128.store(scores, h, 112)
}

@inline
function accumulateSome(n: i32, x: usize, end: usize, row: usize, stride: usize, errors: usize): void {
  const a = v128.load(errors)
  let b = a
  let c = a
  let d = a
  let e = a
  let f = a
  let g = a
  let h = a
  if (n > 1) b = v128.load(errors, 16)
  if (n > 2) c = v128.load(errors, 32)
  if (n > 3) d = v128.load(errors, 48)
  if (n > 4) e = v128.load(errors, 64)
  if (n > 5) f = v128.load(errors, 80)
  if (n > 6) g = v128.load(errors, 96)
  if (n > 7) h = v128.load(errors, 112)
  do {
    const input = load<f32>(x)
    if (input != 0) {
      const wide = f64x2.splat(<f64>input)
      v128.store(row, addProduct(v128.load(row), wide, a))
      if (n > 1) v128.store(row, addProduct(v128.load(row, 16), wide, b), 16)
      if (n > 2) v128.store(row, addProduct(v128.load(row, 32), wide, c), 32)
      if (n > 3) v128.store(row, addProduct(v128.load(row, 48), wide, d), 48)
      if (n > 4) v128.store(row, addProduct(v128.load(row, 64), wide, e), 64)
      if (n > 5) v128.store(row, addProduct(v128.load(row, 80), wide, f), 80)
      if (n > 6) v128.store(row, addProduct(v128.load(row, 96), wide, g), 96)
      if (n > 7) v128.store(row, addProduct(v128.load(row, 112), wide, h), 112)
    }
    row += stride
    x += 4
  } while (x < end)
}

/** `scores[k] += Σ_i x[i] · weights[i, k]` */
export function scoreClasses(x: usize, end: usize, weights: usize, stride: usize, scores: usize): void {
  let pairs = stride / 16
  for (; pairs > 8; pairs -= 8) {
    scoreSome(8, x, end, weights, stride, scores)
    weights += 128
    scores += 128
  }
  switch (pairs) {
    case 1: return scoreSome(1, x, end, weights, stride, scores)
    case 2: return scoreSome(2, x, end, weights, stride, scores)
    case 3: return scoreSome(3, x, end, weights, stride, scores)
    case 4: return scoreSome(4, x, end, weights, stride, scores)
    case 5: return scoreSome(5, x, end, weights, stride, scores)
    case 6: return scoreSome(6, x, end, weights, stride, scores)
    case 7: return scoreSome(7, x, end, weights, stride, scores)
    default: return scoreSome(8, x, end, weights, stride, scores)
  }
}

/** `sums[i, k] += x[i] · errors[k]` */
export function accumulateClasses(x: usize, end: usize, sums: usize, stride: usize, errors: usize): void {
  let pairs = stride / 16
  for (; pairs > 8; pairs -= 8) {
    accumulateSome(8, x, end, sums, stride, errors)
    sums += 128
    errors += 128
  }
  switch (pairs) {
    case 1: return accumulateSome(1, x, end, sums, stride, errors)
    case 2: return accumulateSome(2, x, end, sums, stride, errors)
    case 3: return accumulateSome(3, x, end, sums, stride, errors)
    case 4: return accumulateSome(4, x, end, sums, stride, errors)
    case 5: return accumulateSome(5, x, end, sums, stride, errors)
    case 6: return accumulateSome(6, x, end, sums, stride, errors)
    case 7: return accumulateSome(7, x, end, sums, stride, errors)
    default: return accumulateSome(8, x, end, sums, stride, errors)
  }
}
