import { deferred } from '@murmuration/core'
import test from 'ava'
import { noteWhileSlow } from './note-while-slow.js'

test('what takes long says so, at growing intervals, and nothing is said when it has ended', async (t) => {
  const work = deferred<string>()
  const notes: number[] = []
  const slow = noteWhileSlow(
    work.promise,
    (seconds) => {
      notes.push(seconds)
      if (notes.length === 3) work.resolve('done')
    },
    10
  )
  t.is(await slow, 'done')
  t.deepEqual(notes, [0.01, 0.02, 0.04])
  const failing = noteWhileSlow(Promise.reject(new Error('no luck')), () => t.fail(), 1)
  await t.throwsAsync(failing, { message: 'no luck' })
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.is(notes.length, 3)
})
