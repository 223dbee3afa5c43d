import { InputError } from '@murmuration/core'
import test from 'ava'
import { take } from '../source.js'
import { type IdxPair, idxSource } from './idx.js'

function images(count: number, rows: number, columns: number, pixels: readonly number[], magic = 0x803): Buffer {
  const header = Buffer.alloc(16)
  for (const [index, value] of [magic, count, rows, columns].entries()) header.writeUInt32BE(value, 4 * index)
  return Buffer.concat([header, Buffer.from(pixels)])
}

function labels(count: number, values: readonly number[]): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt32BE(0x801, 0)
  header.writeUInt32BE(count, 4)
  return Buffer.concat([header, Buffer.from(values)])
}

function pair(pictures: Buffer, classes: Buffer): IdxPair {
  return { images: { name: 'a-images', bytes: pictures }, labels: { name: 'a-labels', bytes: classes } }
}

test('pairs are put together in order, pixels scaled to 0 … 1', (t) => {
  const source = idxSource([
    pair(images(2, 1, 2, [0, 255, 51, 102]), labels(2, [3, 0])),
    pair(images(1, 1, 2, [255, 0]), labels(1, [1]))
  ])
  t.deepEqual(take(source, Uint32Array.of(2, 0, 1)), {
    count: 3,
    inputShape: [1, 2, 1],
    inputs: Float32Array.of(1, 0, 0, 1, 0.2, 0.4),
    targetShape: [],
    targets: Float32Array.of(1, 3, 0),
    classes: 4,
    preprocessing: { kind: 'image' }
  })
})

const good = { images: images(2, 1, 2, [0, 1, 2, 3]), labels: labels(2, [0, 1]) }
const wrong: readonly (readonly [string, IdxPair[], RegExp])[] = [
  [
    'another magic number',
    [pair(images(2, 1, 2, [0, 1, 2, 3], 0x801), good.labels)],
    /a-images: offset 0 is 0x801.*0x803/
  ],
  ['labels in place of images', [pair(good.labels, good.labels)], /a-images: ends at offset 10.*truncated/],
  ['half a header', [pair(good.images.subarray(0, 9), good.labels)], /a-images: ends at offset 9.*truncated/],
  ['a missing pixel', [pair(good.images.subarray(0, 19), good.labels)], /a-images: ends at offset 19, expected 20/],
  ['a pixel too many', [pair(images(2, 1, 2, [0, 1, 2, 3, 4]), good.labels)], /ends at offset 21, expected 20/],
  ['a label too few', [pair(good.images, labels(1, [0]))], /a-labels: offset 4 says 1 labels, expected 2/],
  ['a truncated label file', [pair(good.images, labels(2, [0]))], /a-labels: ends at offset 9, expected 10/],
  ['no images', [pair(images(0, 1, 2, []), labels(0, []))], /offset 4 says 0 images/],
  ['enormous extents', [pair(images(0xffffffff, 0xffffffff, 0xffffffff, [1]), good.labels)], /ends at offset 17/],
  [
    'pairs of two sizes',
    [pair(good.images, good.labels), pair(images(1, 2, 2, [0, 0, 0, 0]), labels(1, [0]))],
    /images of 2 × 2 pixels, expected 1 × 2/
  ]
]

for (const [what, pairs, message] of wrong) {
  test(`${what} is refused with file, offset, found and expected`, (t) => {
    t.throws(() => idxSource(pairs), { instanceOf: InputError, message })
  })
}
