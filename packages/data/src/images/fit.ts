import type { DecodedImage } from './decoded-image.js'

/** Whether all pixels are shades of grey. */
export function isGrey({ rgb }: DecodedImage): boolean {
  for (let index = 0; index < rgb.length; index += 3)
    if (rgb[index] !== rgb[index + 1] || rgb[index] !== rgb[index + 2]) return false
  return true
}

/**
 * An image as models take it, 8 bits per channel: with one channel, its luma 0.299 R + 0.587 G + 0.114 B (ITU-R
 * BT.601), or with three; scaled to `height` × `width`, where each new pixel is the mean of those that it covers;
 * partly covered ones count in part. Rounded to the nearest.
 */
export function fitted(image: DecodedImage, [height, width, channels = 1]: readonly number[]): Uint8Array {
  const { rgb } = image
  if (image.height === height && image.width === width) return channels === 3 ? rgb : luma(rgb, Uint8Array)
  const source = channels === 3 ? rgb : luma(rgb, Float64Array)
  const rows = scaled(source, { count: 1, from: image.height, to: height, size: image.width * channels })
  const all = scaled(rows, { count: height, from: image.width, to: width, size: channels })
  return rounded(all)
}

/** Without a list of the values, which `from` makes. */
function rounded(values: Float64Array): Uint8Array {
  const bytes = new Uint8Array(values.length)
  for (let index = 0; index < bytes.length; index++) bytes[index] = Math.round(values[index])
  return bytes
}

/** The luma of each pixel, to the nearest number in bytes. */
function luma<List extends Uint8Array | Float64Array>(rgb: Uint8Array, create: new (length: number) => List): List {
  const grey = new create(rgb.length / 3)
  const isRounded = grey instanceof Uint8Array
  for (let pixel = 0; pixel < grey.length; pixel++) {
    const index = 3 * pixel
    const value = (299 * rgb[index] + 587 * rgb[index + 1] + 114 * rgb[index + 2]) / 1000
    grey[pixel] = isRounded ? Math.round(value) : value
  }
  return grey
}

interface ResizedAxis {
  /** The product of the outer dimensions. */
  readonly count: number
  readonly from: number
  readonly to: number
  /** The product of the inner dimensions. */
  readonly size: number
}

/** Rescales one axis. */
function scaled(source: ArrayLike<number>, { count, from, to, size }: ResizedAxis): Float64Array {
  const result = new Float64Array(count * to * size)
  for (let index = 0; index < to; index++) {
    const start = (index * from) / to
    const end = ((index + 1) * from) / to
    for (let pixel = Math.floor(start); pixel < Math.min(end, from); pixel++) {
      const weight = (Math.min(end, pixel + 1) - Math.max(start, pixel)) / (end - start)
      for (let outer = 0; outer < count; outer++)
        for (let inner = 0; inner < size; inner++)
          result[(outer * to + index) * size + inner] += weight * source[(outer * from + pixel) * size + inner]
    }
  }
  return result
}
