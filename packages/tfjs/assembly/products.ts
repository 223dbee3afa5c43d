// Products of matrices of float32 numbers, in memory that the caller has allocated. All arguments are addresses or
// lengths in bytes, except those that are called counts. The left factor is read in place: a table has the address of
// each of its rows, another one the offset of each term. So rows may be those of a matrix, of a transposed one, or
// patches of an image. The right factor is packed into panels of 8 columns.
//
// An element is the sum of its terms in their order, in float32; a product is rounded before it is added: no fused
// multiply-add, whose bits differ between machines. The result does not depend on the division into tiles.

import { few, line, pair, panelColumns, tile, tileRows } from './tiles'

export { line, pair, panelColumns, tile, tileRows }

/** Writes the part of a tile that lies inside of `out`. */
function putPart(from: usize, out: usize, stride: usize, height: i32, width: i32, adds: bool): void {
  for (let row = 0; row < height; row++) {
    for (let place: usize = 0; place < <usize>width * 4; place += 4) {
      const sum = load<f32>(from + place)
      store<f32>(out + place, adds ? load<f32>(out + place) + sum : sum)
    }
    from += 32
    out += stride
  }
}

/**
 * `out[r, c] = Σ_k left[r, k] · panels[k, c]`, or with `adds`, adds that to `out`; `left[r, k]` lies at
 * `rows[r] + terms[k]`. `count` is the number of rows, whose table is filled up to a multiple of 5 with any readable
 * addresses; `length` is the number of terms. A panel begins `next` after the previous one; its rows, 8 readable
 * numbers, lie `step` apart. `spare` has room for a tile.
 */
export function multiply(
  rows: usize, count: i32, terms: usize, length: i32, panels: usize, next: usize, step: usize, columns: i32, out: usize, stride: usize,
  adds: bool, spare: usize
): void {
  for (let row = 0; row < count; row += tileRows) {
    const height = min(count - row, tileRows)
    let column = height < tileRows ? few(rows, height, terms, length, panels, next, step, columns, out, stride, adds) : 0
    let panel = panels + <usize>(column >> 3) * next
    let place = out + (<usize>column << 2)
    for (; column < columns; column += panelColumns) {
      const width = min(columns - column, panelColumns)
      if (height == tileRows && width == panelColumns) {
        tile(rows, terms, length, panel, step, place, stride, adds)
      } else {
        tile(rows, terms, length, panel, step, spare, 32, false)
        putPart(spare, place, stride, height, width, adds)
      }
      panel += next
      place += 32
    }
    rows += 4 * tileRows
    out += tileRows * stride
  }
}

/**
 * A table of the addresses `first` to `first + count` of a grid, counted along its columns, then its rows, then its
 * planes, and filled up to a multiple of 5 with the last.
 */
export function tabulate(
  table: usize, first: i32, count: i32, address: usize, rows: i32, columns: i32, planeStride: usize, rowStride: usize, columnStride: usize
): void {
  let column = first % columns
  let row = first / columns % rows
  let plane = address + <usize>(first / columns / rows) * planeStride
  let start = plane + <usize>row * rowStride
  let place = start + <usize>column * columnStride
  let last = place
  const end = table + (<usize>count << 2)
  for (; table < end; table += 4) {
    store<usize>(table, place)
    last = place
    place += columnStride
    if (++column < columns) continue
    column = 0
    start += rowStride
    if (++row == rows) {
      row = 0
      plane += planeStride
      start = plane
    }
    place = start
  }
  const filled = end + 4 * <usize>((count + tileRows - 1) / tileRows * tileRows - count)
  for (; table < filled; table += 4) store<usize>(table, last)
}

/** Copies four terms of four adjacent columns, whose terms lie `stride` apart, to rows of a panel. */
@inline
function packSquare(source: usize, stride: usize, panel: usize): void {
  const a = v128.load(source)
  const b = v128.load(source + stride)
  const c = v128.load(source + 2 * stride)
  const d = v128.load(source + 3 * stride)
  const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5)
  const cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5)
  v128.store(panel, v128.shuffle<f64>(ab, cd, 0, 2))
  v128.store(panel, v128.shuffle<f64>(ab, cd, 1, 3), 32)
  const ab2 = v128.shuffle<f32>(a, b, 2, 6, 3, 7)
  const cd2 = v128.shuffle<f32>(c, d, 2, 6, 3, 7)
  v128.store(panel, v128.shuffle<f64>(ab2, cd2, 0, 2), 64)
  v128.store(panel, v128.shuffle<f64>(ab2, cd2, 1, 3), 96)
}

/** The terms of up to 8 columns, one by one; zeros where there is no column. */
function packPart(source: usize, termStride: usize, columnStride: usize, terms: i32, width: i32, panel: usize): void {
  for (let term = 0; term < terms; term++) {
    let from = source
    for (let column = 0; column < 8; column++) {
      store<f32>(panel + (<usize>column << 2), column < width ? load<f32>(from) : 0)
      from += columnStride
    }
    source += termStride
    panel += 32
  }
}

/** `panels[k, c] = source[k, c]`, located by its strides; one panel is `panelBytes` after the previous one. */
export function pack(
  source: usize, termStride: usize, columnStride: usize, terms: i32, columns: i32, panels: usize, panelBytes: usize
): void {
  for (let column = 0; column < columns; column += 8) {
    const width = min(columns - column, 8)
    let from = source + <usize>column * columnStride
    let panel = panels
    let left = terms
    if (width == 8 && columnStride == 4) {
      for (; left > 0; left--) {
        v128.store(panel, v128.load(from))
        v128.store(panel, v128.load(from, 16), 16)
        from += termStride
        panel += 32
      }
    } else if (width == 8 && termStride == 4) {
      for (; left > 3; left -= 4) {
        packSquare(from, columnStride, panel)
        packSquare(from + 4 * columnStride, columnStride, panel + 16)
        from += 16
        panel += 128
      }
    }
    packPart(from, termStride, columnStride, left, width, panel)
    panels += panelBytes
  }
}

/**
 * Adds the numbers at `bias`, unless that is 0, to each row of `out`, and clamps the result to `lower` … `upper`. NaN
 * persists.
 */
export function finish(out: usize, stride: usize, rows: i32, columns: i32, bias: usize, lower: f32, upper: f32): void {
  const low = f32x4.splat(lower)
  const high = f32x4.splat(upper)
  for (let row = 0; row < rows; row++) {
    let column = 0
    for (; column + 3 < columns; column += 4) {
      const place = out + (<usize>column << 2)
      const biased = bias ? f32x4.add(v128.load(place), v128.load(bias + (<usize>column << 2))) : v128.load(place)
      v128.store(place, f32x4.min(f32x4.max(biased, low), high))
    }
    for (; column < columns; column++) {
      const place = out + (<usize>column << 2)
      const biased = bias ? load<f32>(place) + load<f32>(bias + (<usize>column << 2)) : load<f32>(place)
      store<f32>(place, min<f32>(max<f32>(biased, lower), upper))
    }
    out += stride
  }
}

/** Copies `bytes` bytes, a multiple of 4. */
@inline
function copyNumbers(source: usize, target: usize, bytes: usize): void {
  const end = target + bytes
  for (; target + 16 <= end; target += 16) {
    v128.store(target, v128.load(source))
    source += 16
  }
  for (; target < end; target += 4) {
    store<u32>(target, load<u32>(source))
    source += 4
  }
}

/**
 * Copies images to larger or smaller ones of zeros, where rows and columns are shifted by `top` and `left`, which may
 * be negative; what does not fit is omitted. `pixel` is the length of a pixel in bytes.
 */
export function frame(
  source: usize, target: usize, images: i32, height: i32, width: i32, pixel: usize, top: i32, left: i32, newHeight: i32, newWidth: i32
): void {
  memory.fill(target, 0, <usize>(images * newHeight * newWidth) * pixel)
  const firstRow = max(-top, 0)
  const firstColumn = max(-left, 0)
  const endRow = min(height, newHeight - top)
  const columns = min(width, newWidth - left) - firstColumn
  if (columns <= 0) return
  for (let image = 0; image < images; image++) {
    for (let row = firstRow; row < endRow; row++) {
      const from = source + <usize>((image * height + row) * width + firstColumn) * pixel
      const to = target + <usize>((image * newHeight + row + top) * newWidth + firstColumn + left) * pixel
      copyNumbers(from, to, <usize>columns * pixel)
    }
  }
}
