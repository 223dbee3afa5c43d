/** The header of a PNG (www.w3.org/TR/PNG/#11IHDR). */
export interface PngHeader {
  readonly width: number
  readonly height: number
  /** Bits of a value. */
  readonly depth: number
  /** Values of a pixel: a shade of grey or a number of the palette, or three colours; and perhaps transparency. */
  readonly channels: number
  readonly isInterlaced: boolean
}

/** The bytes of a row, after the one for its filter. */
export const bytesPerRow = ({ width, depth, channels }: PngHeader) => Math.ceil((width * channels * depth) / 8)

/**
 * The pixels of rows that are not interlaced, 8 bits for each of three colours. Throws an Error for a filter or a
 * colour that there is not.
 *
 * @param rows - each begins with its filter; their memory becomes that of the pixels where these take as much
 * @param palette - three colours for each number
 */
export function pixelsIn(rows: Uint8Array, header: PngHeader, palette: Uint8Array | undefined): Uint8Array {
  const { width, height, depth, channels } = header
  const length = bytesPerRow(header)
  const step = Math.ceil(depth / 8)
  const shade = depth < 8 ? 255 / (2 ** depth - 1) : 1
  for (let y = 0; y < height; y++) unfilter(rows, y * (length + 1) + 1, length, step * channels)
  // No pixel is further on than its row, so that none is overwritten before it is read.
  const isInPlace = length === 3 * width && rows.length >= 3 * width * height
  const rgb = isInPlace ? rows.subarray(0, 3 * width * height) : new Uint8Array(3 * width * height)
  for (let y = 0; y < height; y++) {
    const start = y * (length + 1) + 1
    for (let x = 0; x < width; x++) {
      const to = 3 * (y * width + x)
      const at = start + x * channels * step
      const first = depth < 8 ? bitsAt(rows, start, x, depth) : rows[at]
      if (palette !== undefined) copyColour(palette, first, rgb, to)
      else if (channels > 2) for (let colour = 0; colour < 3; colour++) rgb[to + colour] = rows[at + colour * step]
      else for (let colour = 0; colour < 3; colour++) rgb[to + colour] = first * shade
    }
  }
  return rgb
}

/** A value of less than 8 bits. The first of a byte has the highest. */
function bitsAt(rows: Uint8Array, start: number, x: number, depth: number): number {
  const bit = x * depth
  return (rows[start + (bit >> 3)] >> (8 - depth - (bit & 7))) & (2 ** depth - 1)
}

function copyColour(palette: Uint8Array, number: number, rgb: Uint8Array, to: number): void {
  if (3 * number + 3 > palette.length) throw new Error(`it has the colour ${number}, which is not in its palette`)
  for (let colour = 0; colour < 3; colour++) rgb[to + colour] = palette[3 * number + colour]
}

/**
 * Undoes the filter of the row at `start`: its bytes are differences from those on the left, above, or both
 * (www.w3.org/TR/PNG/#9Filters).
 */
function unfilter(rows: Uint8Array, start: number, length: number, step: number): void {
  const filter = rows[start - 1]
  const up = start - length - 1
  const isFirst = up < 0
  switch (filter) {
    case 0:
      return
    case 1:
      for (let k = step; k < length; k++) rows[start + k] += rows[start + k - step]
      return
    case 2:
      if (!isFirst) for (let k = 0; k < length; k++) rows[start + k] += rows[up + k]
      return
    case 3:
      for (let k = 0; k < length; k++) {
        const left = k < step ? 0 : rows[start + k - step]
        rows[start + k] += (left + (isFirst ? 0 : rows[up + k])) >> 1
      }
      return
    case 4:
      for (let k = 0; k < length; k++) {
        const left = k < step ? 0 : rows[start + k - step]
        const above = isFirst ? 0 : rows[up + k]
        rows[start + k] += predicted(left, above, isFirst || k < step ? 0 : rows[up + k - step])
      }
      return
    default:
      throw new Error(`it has the filter ${filter}, expected one from 0 to 4`)
  }
}

/** Paeth's predictor: that of the three which is nearest to left + above − corner. */
function predicted(left: number, above: number, corner: number): number {
  const toLeft = Math.abs(above - corner)
  const toAbove = Math.abs(left - corner)
  const toCorner = Math.abs(left + above - 2 * corner)
  if (toLeft <= toAbove && toLeft <= toCorner) return left
  return toAbove <= toCorner ? above : corner
}
