import test from 'ava'
import { copyNumbers } from './copy.js'
import { KernelMemory } from './wasm/memory.js'

const kinds = [ArrayBuffer, SharedArrayBuffer] as const

test('numbers are copied bit by bit', (t) => {
  const bits = Uint32Array.of(0x7fc0_0001, 0x8000_0000, 1, 0xffff_ffff)
  for (const from of kinds) {
    for (const to of kinds) {
      const source = new Float32Array(new from(16))
      new Uint32Array(source.buffer).set(bits)
      const target = new Float32Array(new to(24))
      copyNumbers(target.subarray(1), source)
      t.deepEqual([...new Uint32Array(target.buffer)], [0, ...bits, 0])
    }
  }
  copyNumbers(new Float32Array(0), new Float32Array(0))
})

test('numbers from or to shared memory are copied with the function that its creator gave', (t) => {
  const copied: number[] = []
  const memory = KernelMemory.shared((target, source) => {
    copied.push(source.byteLength)
    target.set(source)
  })
  const first = memory.float32(3)
  const second = memory.float32(5)
  const outside = new Float32Array(4)
  copyNumbers(second, first)
  copyNumbers(outside, first)
  copyNumbers(second, outside.fill(2))
  copyNumbers(new Float32Array(4), outside)
  t.deepEqual(copied, [12, 12, 16])
  t.deepEqual([...second], [2, 2, 2, 2, 0])
})
