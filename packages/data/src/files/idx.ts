import { InputError } from '@murmuration/core'
import type { Source } from '../source.js'
import { concatenated } from './bytes.js'

/**
 * The format of MNIST and its relatives: a big-endian magic number (0x801 labels, 0x803 images of one byte per pixel),
 * the dimensions as 32-bit numbers, then the bytes.
 */
export interface IdxFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The images of one file and the labels of another. */
export interface IdxPair {
  readonly images: IdxFile
  readonly labels: IdxFile
}

/** Checked images: bytes of `count` images, each of `rows` × `columns`. */
interface IdxImages {
  readonly name: string
  readonly count: number
  readonly rows: number
  readonly columns: number
  readonly pixels: Uint8Array
}

/**
 * The samples of all pairs, one pair after the other, with pixels scaled to 0 … 1. Throws an {@link InputError} that
 * names the file and the offset when one violates the format, when the two files of a pair do not match, or the pairs
 * do not.
 */
export function idxSource(pairs: readonly IdxPair[]): Source {
  const imageFiles = pairs.map(({ images }) => readImages(images))
  const labels = pairs.map(({ labels }, index) => readLabels(labels, imageFiles[index]))
  const { rows, columns } = alike(imageFiles)
  const size = rows * columns
  const pixels = imageFiles.length === 1 ? imageFiles[0].pixels : concatenated(imageFiles.map((file) => file.pixels))
  const targets = Float32Array.from(concatenated(labels))
  return {
    count: targets.length,
    inputShape: [rows, columns, 1],
    targetShape: [],
    targets,
    classes: targets.reduce((max, label) => Math.max(max, label + 1), 0),
    preprocessing: { kind: 'image' },
    read: (index, out) => {
      for (let pixel = 0; pixel < size; pixel++) out[pixel] = pixels[index * size + pixel] / 255
    }
  }
}

function readImages(file: IdxFile): IdxImages {
  const [count, rows, columns] = readHeader(file, 0x803, ['images', 'rows', 'columns'])
  const pixels = readBody(file, 16, count * rows * columns, `${count} images of ${rows} × ${columns} pixels`)
  return { name: file.name, count, rows, columns, pixels }
}

function readLabels(file: IdxFile, images: IdxImages): Uint8Array {
  const [count] = readHeader(file, 0x801, ['labels'])
  if (count !== images.count) {
    throw new InputError(
      `${file.name}: offset 4 says ${count} labels, expected ${images.count}, as many as ${images.name} has images`
    )
  }
  return readBody(file, 8, count, `${count} labels`)
}

/** The dimensions of a header, each above 0. */
function readHeader({ name, bytes }: IdxFile, magic: number, extents: readonly string[]): number[] {
  const length = 4 + 4 * extents.length
  if (bytes.length < length) {
    throw new InputError(
      `${name}: ends at offset ${bytes.length}, within the header of ${length} bytes; it is truncated, fetch it again`
    )
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const found = view.getUint32(0)
  if (found !== magic) {
    throw new InputError(
      `${name}: offset 0 is 0x${found.toString(16)}, expected the magic number 0x${magic.toString(16)} for ${extents[0]}`
    )
  }
  return extents.map((extent, index) => {
    const value = view.getUint32(4 + 4 * index)
    if (value > 0) return value
    throw new InputError(`${name}: offset ${4 + 4 * index} says 0 ${extent}, expected at least 1`)
  })
}

function readBody({ name, bytes }: IdxFile, start: number, length: number, what: string): Uint8Array {
  if (bytes.length === start + length) return bytes.subarray(start)
  throw new InputError(
    `${name}: ends at offset ${bytes.length}, expected ${start + length} for ${what}; it is damaged, fetch it again`
  )
}

function alike(images: readonly IdxImages[]): IdxImages {
  const [first] = images
  const other = images.find(({ rows, columns }) => rows !== first.rows || columns !== first.columns)
  if (other === undefined) return first
  throw new InputError(
    `${other.name}: images of ${other.rows} × ${other.columns} pixels, expected ${first.rows} × ${first.columns} as in ${first.name}`
  )
}
