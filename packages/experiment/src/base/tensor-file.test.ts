import { InputError } from '@murmuration/core'
import test from 'ava'
import { fill } from './tensor-file.js'

/** A file of so many bytes, of which a call reads at most `most`; and how many bytes each call has asked for. */
function fileOf(size: number, most: number) {
  let position = 0
  const asked: number[] = []
  const read = async (target: Uint8Array, offset: number, length: number) => {
    asked.push(length)
    const bytesRead = Math.min(length, most, size - position)
    target.fill(1, offset, offset + bytesRead)
    position += bytesRead
    return { bytesRead, buffer: target }
  }
  return { asked, file: { read } as unknown as Parameters<typeof fill>[0] }
}

test('a file is read into place, in calls of at most 64 MiB', async (t) => {
  const size = (1 << 27) + 5
  const { file, asked } = fileOf(size, 1 << 26)
  const target = new Uint8Array(size)
  await fill(file, target)
  t.deepEqual(asked, [1 << 26, 1 << 26, 5])
  t.true(target.at(0) === 1 && target.at(-1) === 1)
})

test('what a call leaves is read by the next, and a file that ends too early is refused', async (t) => {
  const { file } = fileOf(10, 3)
  await fill(file, new Uint8Array(8))
  await t.throwsAsync(fill(file, new Uint8Array(3)), { instanceOf: InputError, message: 'the file ends too early' })
})
