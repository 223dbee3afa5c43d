import { InputError, InvariantError } from '@murmuration/core'
import test from 'ava'
import { KernelMemory } from './memory.js'

test('arrays lie in one memory, begin at multiples of 64 bytes and do not overlap', (t) => {
  const lengths = [4, 72, 20]
  for (const memory of [KernelMemory.fixed(lengths), KernelMemory.shared()]) {
    const arrays = [memory.float32(1), memory.float64(9), memory.uint32(5)]
    t.deepEqual(
      arrays.map(({ byteOffset }) => byteOffset),
      [0, 64, 192]
    )
    for (const { buffer } of arrays) t.is(buffer.byteLength, memory.memory.buffer.byteLength)
  }
})

test('an array that a memory of fixed size was not asked for is an error, and a vector there is none', (t) => {
  const memory = KernelMemory.fixed([65_536])
  memory.float32(16_384)
  t.throws(() => memory.float32(1), { instanceOf: InvariantError })
  t.is(memory.vector(1), undefined)
})

test('shared memory grows, and knows its vectors from before and after; other memory belongs to none', (t) => {
  const memory = KernelMemory.shared()
  const vectors = [memory.vector(1), memory.vector(100_000)]
  for (const vector of vectors) t.is(vector && KernelMemory.of(vector), memory)
  t.is(KernelMemory.of(KernelMemory.fixed([4]).float32(1)), undefined)
})

test('more than 4 GiB are refused before anything is allocated', (t) => {
  t.throws(() => KernelMemory.fixed([2 ** 32, 1]), {
    instanceOf: InputError,
    message: /kernels need 4\.0 GiB of memory, and can have at most 4 GiB/
  })
})
