import type { Stream } from '@libp2p/interface'
import test from 'ava'
import { room } from './frame-output.js'

test('waiting for room in a stream ends with the stream, also if it has ended before', async (t) => {
  const stream = Object.assign(new EventTarget(), { status: 'open' })
  const waiting = room(stream as unknown as Stream)
  stream.status = 'reset'
  stream.dispatchEvent(new Event('close'))
  await t.throwsAsync(waiting, { message: /closed/ })
  await t.throwsAsync(room(stream as unknown as Stream), { message: /closed/ })
})
