/** The segments of a JPEG file (ITU-T T.81, Annex B): 0xff, a type, and for most types a length and as many bytes. */

import { latin1In } from '../files/bytes.js'
import { orientationIn } from './exif.js'

/**
 * The maximum number of components that all scans together decode. Encoders of progressive files make some 15; each
 * takes time for all blocks.
 */
const maxScanned = 100

/**
 * The maximum number of blocks of 8 × 8 values, of which the decoder takes some 620 bytes each. 50 million pixels have
 * 1.17 million blocks with
 * subsampled colours; 25 million pixels have as many without.
 */
const maxBlocks = 1.2e6

const startOfScan = 0xda
const firstOfFrames = 0xc0
const lastOfFrames = 0xc2
/** Segments that programs add: APP0, APP1 and APP14. */
const jfifSegment = 0xe0
const exifSegment = 0xe1
const adobeSegment = 0xee

/** What the pixels do not say. */
export interface JpegFacts {
  /** Whether its three components are red, green and blue, rather than luma and two differences. */
  readonly isRgb: boolean
  /** See `orientationIn`. */
  readonly orientation: number
}

/**
 * The facts of a file that its decoder does not heed. Throws an Error for a file that takes more memory or time than
 * its pixels need: a scan of a large image may have a hundred bytes.
 */
export function jpegFacts(bytes: Uint8Array): JpegFacts {
  let scanned = 0
  const found: Partial<Record<'jfif' | 'exif' | 'adobe' | 'frame', Uint8Array>> = {}
  for (const { type, data } of segmentsOf(bytes)) {
    if (type >= firstOfFrames && type <= lastOfFrames) checkFrame((found.frame = data))
    if (type === startOfScan) scanned += Math.max(1, data[0])
    if (scanned > maxScanned)
      throw new Error(`its scans decode more than ${maxScanned} components; save it again, without progressive steps`)
    if (type === jfifSegment) found.jfif ??= contentAfter('JFIF\0', data)
    if (type === exifSegment) found.exif ??= contentAfter('Exif\0\0', data)
    if (type === adobeSegment) found.adobe ??= contentAfter('Adobe', data)
  }
  const orientation = found.exif === undefined ? 1 : orientationIn(found.exif)
  return { isRgb: isRgb(found.frame, found.jfif, found.adobe), orientation }
}

const transformAt = 6

/**
 * As libjpeg decides, whose rules all viewers follow: JFIF has no RGB, Adobe says, else the names of the components.
 */
function isRgb(frame?: Uint8Array, jfif?: Uint8Array, adobe?: Uint8Array): boolean {
  if (frame?.[5] !== 3 || jfif !== undefined) return false
  if (adobe !== undefined) return adobe[transformAt] === 0
  return String.fromCharCode(frame[6], frame[9], frame[12]) === 'RGB'
}

/** What follows the mark of a program, if a segment begins with it. */
function contentAfter(mark: string, data: Uint8Array): Uint8Array | undefined {
  const isMarked = latin1In(data, 0, mark.length) === mark
  return isMarked ? data.subarray(mark.length) : undefined
}

/**
 * A frame has its precision, height and width, and for each component its name, and its sampling in both directions.
 */
function checkFrame(data: Uint8Array): void {
  const height = data[1] * 256 + data[2]
  const width = data[3] * 256 + data[4]
  const count = data[5]
  const samplings = Array.from({ length: count }, (_, component) => data[7 + 3 * component] ?? 0x11)
  const across = Math.max(...samplings.map((each) => each >> 4))
  const down = Math.max(...samplings.map((each) => each & 15))
  const units = Math.ceil(width / 8 / across) * Math.ceil(height / 8 / down)
  const blocks = units * samplings.reduce((sum, each) => sum + (each >> 4) * (each & 15), 0)
  if (blocks > maxBlocks)
    throw new Error(
      `it has ${width} × ${height} pixels of ${count} components, ${blocks} blocks, expected at most ${maxBlocks}; make it smaller, or save it with subsampled colours`
    )
}

/** The segments in order; what a scan has decoded follows it and is skipped. */
function* segmentsOf(bytes: Uint8Array): Generator<{ readonly type: number; readonly data: Uint8Array }> {
  for (let at = bytes.indexOf(0xff, 2); at >= 0 && at + 4 <= bytes.length; at = bytes.indexOf(0xff, at)) {
    const type = bytes[at + 1]
    at++
    // A fill byte, an escaped 0xff, or a marker without content.
    if (type === 0xff || type <= 0x01 || (type >= 0xd0 && type <= 0xd9)) continue
    const end = at + 1 + bytes[at + 1] * 256 + bytes[at + 2]
    yield { type, data: bytes.subarray(at + 3, end) }
    at = Math.max(at + 3, end)
  }
}
