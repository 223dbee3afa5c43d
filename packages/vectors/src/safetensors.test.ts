import { InputError } from '@murmuration/core'
import test from 'ava'
import {
  decodeSafetensorsHeader,
  encodeSafetensors,
  safetensorsHeaderLength,
  type SafetensorsHeader,
  tensorsIn
} from './safetensors.js'

const tensors = [
  { name: 'w', shape: [2, 2], values: Float32Array.of(1, 2, 3, 4) },
  { name: 'none', shape: [0], values: new Float32Array(0) },
  { name: 'ß', shape: [], values: Float32Array.of(-0) }
]

/** A file from its parts. */
function fileOf(parts: readonly Uint8Array[]): Uint8Array {
  const file = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let end = 0
  for (const part of parts) {
    file.set(part, end)
    end += part.byteLength
  }
  return file
}

/** A file with an arbitrary header. */
function withHeader(header: unknown, data = 0): Uint8Array {
  const json = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header))
  const length = new Uint8Array(8)
  new DataView(length.buffer).setBigUint64(0, BigInt(json.length), true)
  return fileOf([length, json, new Uint8Array(data)])
}

function headerOf(file: Uint8Array): SafetensorsHeader {
  const length = safetensorsHeaderLength(file.subarray(0, 8), file.byteLength)
  return decodeSafetensorsHeader(file.subarray(8, 8 + length), file.byteLength)
}

test('what is written is read: names, shapes, bits and metadata', (t) => {
  const file = fileOf(encodeSafetensors(tensors, { round: '7' }))
  const header = headerOf(file)
  t.is((file.byteLength - header.dataBytes) % 8, 0)
  t.deepEqual(header.metadata, { round: '7' })
  const read = tensorsIn(file.subarray(file.byteLength - header.dataBytes), header)
  t.deepEqual(read, tensors)
})

const entry = { dtype: 'F32', shape: [2], data_offsets: [0, 8] }
const damaged: readonly (readonly [string, Uint8Array, RegExp])[] = [
  ['nothing', new Uint8Array(0), /found 0 bytes/],
  ['half a length', new Uint8Array(5), /found 5 bytes, expected at least 8/],
  [
    'a header longer than the file',
    fileOf([Uint8Array.of(255, 255, 255, 255, 255, 255, 255, 127)]),
    /a header of \d+ bytes/
  ],
  ['no JSON', withHeader('{"w":'), /not JSON/],
  ['bytes that are no UTF-8', fileOf([Uint8Array.of(2, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)]), /not JSON/],
  ['a list', withHeader([]), /the header is not a JSON object/],
  ['another type of numbers', withHeader({ w: { ...entry, dtype: 'F16' } }, 8), /found dtype "F16"/],
  ['a negative shape', withHeader({ w: { ...entry, shape: [-2] } }, 8), /found no shape/],
  ['a shape that is no number', withHeader({ w: { ...entry, shape: ['2'] } }, 8), /found no shape/],
  ['offsets out of order', withHeader({ w: { ...entry, data_offsets: [8, 0] } }, 8), /found -8 bytes/],
  ['a shape that overflows', withHeader({ w: { ...entry, shape: [2 ** 40, 2 ** 40] } }, 8), /for the shape/],
  ['a hole', withHeader({ w: { ...entry, data_offsets: [8, 16] } }, 16), /begins at byte 8, expected 0/],
  ['two tensors in one place', withHeader({ v: entry, w: entry }, 16), /begins at byte 0, expected 8/],
  ['too little', withHeader({ w: entry }, 7), /found \d+ bytes, expected/],
  ['too much', withHeader({ w: entry }, 9), /found \d+ bytes, expected/],
  [
    'more lists than there is memory for',
    withHeader('{"a":[' + '[],'.repeat(2 ** 20) + '[]]}'),
    /a header with 2097155 commas and opening brackets, expected at most 2097152/
  ],
  ['metadata that are no text', withHeader({ __metadata__: { round: 7 } }), /metadata "round": found no text/]
]

for (const [what, file, message] of damaged) {
  test(`a file with ${what} is refused`, (t) => {
    t.throws(() => headerOf(file), { instanceOf: InputError, message })
  })
}
