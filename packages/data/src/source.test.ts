import test from 'ava'
import { type Source, take } from './source.js'

/** Four samples of two numbers each, and which of them were read. */
function recorded(isDrawn: boolean): { readonly source: Source; readonly read: number[] } {
  const read: number[] = []
  const source: Source = {
    count: 4,
    inputShape: [2],
    targetShape: [],
    targets: Float32Array.of(0, 1, 2, 3),
    isDrawn,
    read: (index, out) => {
      read.push(index)
      out.fill(index)
    }
  }
  return { source, read }
}

test('an input that is drawn is drawn when it is first used, once', (t) => {
  const { source, read } = recorded(true)
  const samples = take(source, Uint32Array.of(3, 0, 2))
  t.deepEqual([samples.count, [...samples.targets], read], [3, [3, 0, 2], []])
  t.deepEqual([[...(samples.inputOf?.(2) ?? [])], [...(samples.inputOf?.(2) ?? [])]], Array(2).fill([2, 2]))
  t.deepEqual(read, [2])
  t.deepEqual([...samples.inputs], [3, 3, 0, 0, 2, 2])
  t.is(samples.inputs, samples.inputs)
  t.deepEqual(read, [2, 3, 0])
})

test('other inputs are read at once, so that what is wrong with them is known before a run begins', (t) => {
  const { source, read } = recorded(false)
  const samples = take(source, Uint32Array.of(3, 0))
  t.deepEqual(read, [3, 0])
  t.deepEqual([samples.inputOf, [...samples.inputs]], [undefined, [3, 3, 0, 0]])
})
