import { InputError } from '@murmuration/core'
import type { Source } from '../source.js'

/**
 * The format of MNIST and its relatives: a big-endian magic number (0x801 labels, 0x803 images of one byte per pixel), the dimensions as 32-bit
 * numbers, then the bytes.
 */
export interface IdxFile {
  readonly name: string
  readonly bytes: Buffer
}

/** The images of one file and the labels of another. */
export interface IdxPair {
  readonly images: IdxFile
  readonly labels: IdxFile
}

/** Checked images: bytes of `count` images, each of `rows` × `columns`. */
interface Pictures {
  readonly name: string
  readonly count: number
  readonly rows: number
  readonly columns: number
  readonly pixels: Buffer
}

/**
 * The samples of all pairs, one pair after the other, with pixels scaled to 0 … 1. Throws an {@link InputError} that names the file and the offset
 * when one violates the format, when the two files of a pair do not match, or the pairs do not.
 */
export function idxSource(pairs: readonly IdxPair[]): Source {
  const pictures = pairs.map(({ images }) => readPictures(images))
  const labels = pairs.map(({ labels }, index) => readLabels(labels, pictures[index]))
  const { rows, columns } = alike(pictures)
  const size = rows * columns
  const pixels = Buffer.concat(pictures.map((file) => file.pixels))
  const targets = Float32Array.from(Buffer.concat(labels))
  return {
    count: targets.length,
    inputShape: [rows, columns, 1],
    targetShape: [],
    targets,
    classes: targets.reduce((most, label) => Math.max(most, label + 1), 0),
    preprocessing: { kind: 'image' },
    read: (index, out) => {
      for (let pixel = 0; pixel < size; pixel++) out[pixel] = pixels[index * size + pixel] / 255
    }
  }
}

function readPictures(file: IdxFile): Pictures {
  const [count, rows, columns] = readHeader(file, 0x803, ['pictures', 'rows', 'columns'])
  const pixels = readBody(file, 16, count * rows * columns, `${count} pictures of ${rows} × ${columns} pixels`)
  return { name: file.name, count, rows, columns, pixels }
}

function readLabels(file: IdxFile, pictures: Pictures): Buffer {
  const [count] = readHeader(file, 0x801, ['labels'])
  if (count !== pictures.count) {
    throw new InputError(
      `${file.name}: offset 4 says ${count} labels, ${pictures.count} are expected as ${pictures.name} has that many pictures`
    )
  }
  return readBody(file, 8, count, `${count} labels`)
}

/** The dimensions of a header, each above 0. */
function readHeader({ name, bytes }: IdxFile, magic: number, extents: readonly string[]): number[] {
  const length = 4 + 4 * extents.length
  if (bytes.length < length) {
    throw new InputError(
      `${name}: ends at offset ${bytes.length}, within the header of ${length} bytes; it is truncated`
    )
  }
  const found = bytes.readUInt32BE(0)
  if (found !== magic) {
    throw new InputError(
      `${name}: offset 0 is 0x${found.toString(16)}, the magic number 0x${magic.toString(16)} is expected for ${extents[0]}`
    )
  }
  return extents.map((extent, index) => {
    const value = bytes.readUInt32BE(4 + 4 * index)
    if (value > 0) return value
    throw new InputError(`${name}: offset ${4 + 4 * index} says 0 ${extent}, at least 1 is expected`)
  })
}

function readBody({ name, bytes }: IdxFile, start: number, length: number, what: string): Buffer {
  if (bytes.length === start + length) return bytes.subarray(start)
  throw new InputError(
    `${name}: ends at offset ${bytes.length}, ${start + length} is expected for ${what}; it is damaged, fetch it again`
  )
}

function alike(pictures: readonly Pictures[]): Pictures {
  const [first] = pictures
  const other = pictures.find(({ rows, columns }) => rows !== first.rows || columns !== first.columns)
  if (other === undefined) return first
  throw new InputError(
    `${other.name}: pictures of ${other.rows} × ${other.columns} pixels, ${first.rows} × ${first.columns} are expected as in ${first.name}`
  )
}
