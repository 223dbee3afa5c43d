import test from 'ava'
import { safetensors } from './safetensors.js'

test('a safetensors file says where each tensor lies, and holds its bits there', (t) => {
  const file = Buffer.concat(
    safetensors(
      [
        { name: 'w', shape: [2, 2] },
        { name: 'ß', shape: [] }
      ],
      Float32Array.of(1, 2, 3, 4, 5)
    )
  )
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const length = Number(view.getBigUint64(0, true))
  t.is((8 + length) % 8, 0)
  const header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + length)))
  t.deepEqual(header, {
    w: { dtype: 'F32', shape: [2, 2], data_offsets: [0, 16] },
    ß: { dtype: 'F32', shape: [], data_offsets: [16, 20] }
  })
  t.is(view.getFloat32(8 + length + header.ß.data_offsets[0], true), 5)
  t.is(file.byteLength, 8 + length + 20)
})
