import type { Stream } from '@libp2p/interface'
import test from 'ava'
import { room } from './frame-output.js'

test('who waits for room in a stream goes on when the stream ends, also when that was before', async (t) => {
  const stream = Object.assign(new EventTarget(), { status: 'open' })
  const waiting = room(stream as unknown as Stream)
  stream.status = 'reset'
  stream.dispatchEvent(new Event('close'))
  await t.throwsAsync(waiting, { message: /closed/ })
  await t.throwsAsync(room(stream as unknown as Stream), { message: /closed/ })
})
