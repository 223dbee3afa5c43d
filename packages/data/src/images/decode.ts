import { InputError, messageOf } from '@murmuration/core'
import { convertIndexedToRgb, decode as decodePng, hasPngSignature } from 'fast-png'
import jpeg from 'jpeg-js'
import type { DecodedImage } from './decoded-image.js'
import { orientationIn, upright } from './exif.js'
import { converted, formatOf } from './formats.js'
import { jpegFacts } from './jpeg.js'
import { bytesPerRow, pixelsIn, type PngHeader } from './png-rows.js'
import { pngContent, unpackedRows } from './png.js'

/** The maximum pixels of an image; a file of a few kilobytes may claim any number. */
const maxPixels = 50e6

/** The maximum bytes of the unpacked pixels of a PNG, enough for 50 million of any kind: 400 MB. */
const maxPngBytes = 8 * maxPixels

/** The same for interlaced ones, whose decoder takes four times as much: 128 MiB. */
const maxInterlacedBytes = 2 ** 27

/**
 * Decodes a PNG or JPEG file, recognised by its first bytes, upright as viewers show it. Transparency is ignored.
 * Throws an {@link InputError} that names the file.
 */
export function decodeImage(name: string, bytes: Uint8Array): DecodedImage {
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8
  if (!isJpeg && !(bytes.length > 28 && hasPngSignature(bytes)))
    throw new InputError(`${name}: is ${formatOf(bytes)}, expected PNG or JPEG; ${converted}`)
  try {
    return isJpeg ? fromJpeg(bytes) : fromPng(bytes)
  } catch (error) {
    throw new InputError(`${name}: cannot be decoded: ${messageOf(error)}`)
  }
}

function fromJpeg(bytes: Uint8Array): DecodedImage {
  const { isRgb, orientation } = jpegFacts(bytes)
  const options = {
    ...(isRgb && { colorTransform: false }),
    useTArray: true,
    formatAsRGBA: false,
    maxResolutionInMP: maxPixels / 1e6,
    maxMemoryUsageInMB: 1024
  } as const
  const { width, height, data } = jpeg.decode(bytes, options)
  return upright({ width, height, rgb: data }, orientation)
}

function fromPng(bytes: Uint8Array): DecodedImage {
  const header = headerOf(bytes)
  const size = header.height * (1 + bytesPerRow(header))
  const { file, palette, packed, exif } = pngContent(bytes)
  const orientation = exif === undefined ? 1 : orientationIn(exif)
  const rows = unpackedRows(packed, size)
  const { width, height } = header
  if (header.isInterlaced) return upright(fromInterlaced(file), orientation)
  return upright({ width, height, rgb: pixelsIn(rows, header, isIndexed(bytes) ? palette : undefined) }, orientation)
}

/** The number of channels, by the type of colours in the header. */
const channelsOf: readonly (number | undefined)[] = [1, undefined, 3, 1, 2, undefined, 4]

const typeAt = 25
const indexedType = 3

const isIndexed = (bytes: Uint8Array) => bytes[typeAt] === indexedType

/**
 * The first chunk has width, height, depth and interlacing at fixed offsets. Throws an Error for what is too large, or
 * not decoded rightly.
 */
function headerOf(bytes: Uint8Array): PngHeader {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const width = view.getUint32(16)
  const height = view.getUint32(20)
  const depth = bytes[24]
  const isInterlaced = bytes[28] !== 0
  if (width * height > maxPixels)
    throw new Error(`it has ${width} × ${height} pixels, expected at most ${maxPixels / 1e6} million`)
  if (depth < 8 && isInterlaced)
    throw new Error(`it is interlaced with ${depth} bits per pixel; save it without interlacing`)
  const channels = channelsOf[bytes[typeAt]]
  const depths = isIndexed(bytes) ? [1, 2, 4, 8] : channels === 1 ? [1, 2, 4, 8, 16] : [8, 16]
  if (channels === undefined || !depths.includes(depth))
    throw new Error(`it has colours of type ${bytes[typeAt]} with ${depth} bits, which PNG has not`)
  const header = { width, height, depth, channels, isInterlaced }
  const size = height * bytesPerRow(header)
  const most = isInterlaced ? maxInterlacedBytes : maxPngBytes
  if (size <= most) return header
  throw new Error(
    `its pixels take ${size} bytes, expected at most ${most}; save it with 8 bits per colour, or make it smaller`
  )
}

/** Interlaced images, of at least 8 bits per value. */
function fromInterlaced(file: Uint8Array): DecodedImage {
  const png = decodePng(file)
  const { width, height, palette, depth } = png
  const [values, channels] =
    palette === undefined ? [png.data, png.channels] : [convertIndexedToRgb(png), palette[0].length]
  const shift = palette === undefined ? depth - 8 : 0
  const rgb = new Uint8Array(3 * width * height)
  for (let pixel = 0; pixel < width * height; pixel++)
    for (let colour = 0; colour < 3; colour++)
      rgb[3 * pixel + colour] = values[pixel * channels + (channels <= 2 ? 0 : colour)] >> shift
  return { width, height, rgb }
}
