// Products of matrices of float32 numbers, in memory that others have allocated. Everything is an address or a length in bytes, but for
// what is called a count. The left factor is read where it lies: a table has the address of each of its rows, another one how far each
// term is from there. So rows may be those of a matrix, of a transposed one, or patches of an image. The right factor is packed to panels
// of 8 columns.
//
// An element is the sum of its terms in their order, in float32, a product rounded before it is added: no fused multiply-add, whose bits
// differ between machines. Where tiles lie does not matter to it.

import { few, line, pair, panelColumns, tile, tileRows } from './tiles'

export { line, pair, panelColumns, tile, tileRows }

/** Puts what is inside of `out` from a tile that reaches beyond it. */
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
 * `out[r, c] = Σ_k left[r, k] · panels[k, c]`, or that added to what is there, where `left[r, k]` lies at `rows[r] + terms[k]`. `count` is that of the
 * rows, whose table is filled up to a multiple of 5 with any that can be read; `length` is that of the terms. A panel begins `next` after the
 * one before; its rows, 8 numbers that can be read, lie `step` apart. `spare` has room for a tile.
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
 * A table of the places `first` to `first + count` of a grid, counted along its columns, then its rows, then its planes, and filled up to a
 * multiple of 5 with the last.
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

/** Four terms of four columns that lie one after the other, `stride` apart, to rows of a panel. */
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

/** `panels[k, c] = source[k, c]`, whose strides say where it lies; one panel is `panelBytes` after the other. */
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
 * Adds to each row of `out` the numbers at `bias`, unless that is 0, and puts what lies below `least` or above `most` there. What is not a
 * number stays so.
 */
export function finish(out: usize, stride: usize, rows: i32, columns: i32, bias: usize, least: f32, most: f32): void {
  const low = f32x4.splat(least)
  const high = f32x4.splat(most)
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
      store<f32>(place, min<f32>(max<f32>(biased, least), most))
    }
    out += stride
  }
}

/** Copies so many bytes, a multiple of 4. */
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
 * Copies images to larger or smaller ones of zeros, where rows and columns have numbers that are `top` and `left` higher, or lower where
 * these are negative; what does not fit is left out. `pixel` is the length of a pixel in bytes.
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
