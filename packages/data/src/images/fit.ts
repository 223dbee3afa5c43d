import type { Picture } from './decode.js'

/** Whether all pixels are shades of grey. */
export function isGrey({ rgb }: Picture): boolean {
  for (let place = 0; place < rgb.length; place += 3)
    if (rgb[place] !== rgb[place + 1] || rgb[place] !== rgb[place + 2]) return false
  return true
}

/**
 * An image as models take it, 8 bits per channel: with one channel, its luma 0.299 R + 0.587 G + 0.114 B (ITU-R BT.601), or with three; scaled to
 * `height` × `width`, where each new pixel is the mean of those that it covers; partly covered ones count in part. Rounded to the nearest.
 */
export function fitted(picture: Picture, [height, width, channels = 1]: readonly number[]): Uint8Array {
  const { rgb } = picture
  const source = channels === 3 ? rgb : luma(rgb)
  if (picture.height === height && picture.width === width) return Uint8Array.from(source, Math.round)
  const rows = scaled(source, { count: 1, from: picture.height, to: height, size: picture.width * channels })
  const all = scaled(rows, { count: height, from: picture.width, to: width, size: channels })
  return Uint8Array.from(all, Math.round)
}

function luma(rgb: Uint8Array): Float64Array {
  const grey = new Float64Array(rgb.length / 3)
  for (let pixel = 0; pixel < grey.length; pixel++) {
    const place = 3 * pixel
    grey[pixel] = (299 * rgb[place] + 587 * rgb[place + 1] + 114 * rgb[place + 2]) / 1000
  }
  return grey
}

interface Axis {
  /** The product of the outer dimensions. */
  readonly count: number
  readonly from: number
  readonly to: number
  /** The product of the inner dimensions. */
  readonly size: number
}

/** Rescales one axis. */
function scaled(source: ArrayLike<number>, { count, from, to, size }: Axis): Float64Array {
  const result = new Float64Array(count * to * size)
  for (let place = 0; place < to; place++) {
    const [start, end] = [(place * from) / to, ((place + 1) * from) / to]
    for (let pixel = Math.floor(start); pixel < Math.min(end, from); pixel++) {
      const weight = (Math.min(end, pixel + 1) - Math.max(start, pixel)) / (end - start)
      for (let outer = 0; outer < count; outer++)
        for (let inner = 0; inner < size; inner++)
          result[(outer * to + place) * size + inner] += weight * source[(outer * from + pixel) * size + inner]
    }
  }
  return result
}
