import { InputError, InvariantError } from '@murmuration/core'
import test from 'ava'
import { KernelMemory } from './memory.js'

test('pieces lie in one memory, begin at multiples of 16 bytes and do not overlap', (t) => {
  const memory = new KernelMemory([4, 24, 20])
  const pieces = [memory.float32(1), memory.float64(3), memory.uint32(5)]
  t.deepEqual(
    pieces.map(({ at }) => at),
    [0, 16, 48]
  )
  for (const { numbers, at } of pieces) {
    t.is(numbers.byteOffset, at)
    t.is(numbers.buffer, memory.memory.buffer)
  }
})

test('a piece that was not asked for is an error', (t) => {
  const memory = new KernelMemory([65_536])
  memory.float32(16_384)
  t.throws(() => memory.float32(1), { instanceOf: InvariantError })
})

test('more than 4 GiB are refused before anything is allocated', (t) => {
  t.throws(() => new KernelMemory([2 ** 32, 1]), {
    instanceOf: InputError,
    message: /4\.0 GiB of memory; at most 4 GiB/
  })
})
