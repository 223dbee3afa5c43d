import { InputError, messageOf } from '@murmuration/core'
import { convertIndexedToRgb, type DecodedPng, decode as decodePng, hasPngSignature } from 'fast-png'
import jpeg from 'jpeg-js'
import { checkJpeg } from './jpeg.js'
import { pixelChunks } from './png.js'

/** A decoded image: rows of pixels from the top, each of 8-bit red, green and blue. */
export interface DecodedImage {
  readonly width: number
  readonly height: number
  readonly rgb: Uint8Array
}

/** The maximum pixels of an image; a file of a few kilobytes may claim any number. */
const maxPixels = 50e6

/** The maximum bytes of the unpacked pixels of a PNG: 256 MiB, which its decoder takes three times. */
const maxPngBytes = 2 ** 28

/** Decodes a PNG or JPEG file, recognised by its first bytes. Transparency is ignored. Throws an {@link InputError} that names the file. */
export function decodeImage(name: string, bytes: Uint8Array): DecodedImage {
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8
  if (!isJpeg && !(bytes.length > 28 && hasPngSignature(bytes)))
    throw new InputError(`${name}: is neither PNG nor JPEG; convert it to one of them`)
  try {
    return isJpeg ? fromJpeg(bytes) : fromPng(bytes)
  } catch (error) {
    throw new InputError(`${name}: cannot be decoded: ${messageOf(error)}`)
  }
}

function fromJpeg(bytes: Uint8Array): DecodedImage {
  checkJpeg(bytes)
  const options = {
    useTArray: true,
    formatAsRGBA: false,
    maxResolutionInMP: maxPixels / 1e6,
    maxMemoryUsageInMB: 1024
  } as const
  const { width, height, data } = jpeg.decode(bytes, options)
  return { width, height, rgb: data }
}

function fromPng(bytes: Uint8Array): DecodedImage {
  checkHeader(bytes)
  const png = decodePng(pixelChunks(bytes, maxPixelBytes(bytes)))
  const { width, height, palette } = png
  const [values, channels] =
    palette === undefined ? [eightBits(png), png.channels] : [convertIndexedToRgb(png), palette[0].length]
  const rgb = new Uint8Array(3 * width * height)
  for (let pixel = 0; pixel < width * height; pixel++)
    for (let colour = 0; colour < 3; colour++)
      rgb[3 * pixel + colour] = values[pixel * channels + (channels <= 2 ? 0 : colour)]
  return { width, height, rgb }
}

/**
 * The first chunk has width, height, depth and interlacing at fixed offsets. Refuses what the decoder would decode wrongly, or with too much memory.
 */
function checkHeader(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const [width, height, depth, interlacing] = [view.getUint32(16), view.getUint32(20), bytes[24], bytes[28]]
  if (width * height > maxPixels)
    throw new Error(`it has ${width} × ${height} pixels, expected at most ${maxPixels / 1e6} million`)
  if (depth < 8 && interlacing !== 0)
    throw new Error(`it is interlaced with ${depth} bits per pixel; save it without interlacing`)
}

/** The number of channels, by the type of colours in the header. */
const channelsOf: readonly (number | undefined)[] = [1, undefined, 3, 1, 2, undefined, 4]

/** The maximum bytes of the unpacked pixels: twice those of the rows, each with a byte for its filter, since interlacing makes more rows. */
function maxPixelBytes(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const [width, height, depth, channels = 4] = [
    view.getUint32(16),
    view.getUint32(20),
    bytes[24],
    channelsOf[bytes[25]]
  ]
  const size = height * (1 + Math.ceil((width * channels * depth) / 8))
  if (size > maxPngBytes)
    throw new Error(
      `its pixels take ${size} bytes, expected at most ${maxPngBytes}; save it with 8 bits per colour, or make it smaller`
    )
  return 2 * size
}

/** The values of each channel, 0 … 255. Grey values of fewer bits are packed; each row begins at a whole byte. */
function eightBits({ data, depth, width, height, channels }: DecodedPng): ArrayLike<number> {
  if (depth === 8) return data
  const values = new Uint8Array(width * height * channels)
  if (depth === 16) {
    for (let index = 0; index < values.length; index++) values[index] = data[index] >> 8
    return values
  }
  const row = Math.ceil((width * channels * depth) / 8)
  const max = 2 ** depth - 1
  for (let index = 0; index < values.length; index++) {
    const bit = (index % width) * depth
    const byte = data[Math.floor(index / width) * row + (bit >> 3)]
    values[index] = (((byte >> (8 - depth - (bit & 7))) & max) * 255) / max
  }
  return values
}
