import { InputError, peerName } from '@murmuration/core'
import test from 'ava'
import { Arena } from '@murmuration/engine'
import type { CollectiveChannel } from './ranks.js'
import { meanOver } from './mean-over.js'

test('more parts than a round has are refused before anything is sent', async (t) => {
  const names = Array.from({ length: 16 }, (_, k) => peerName(`p${10 + k}`))
  const tensors = Array.from({ length: 148 }, (_, k) => ({ offset: 768 * k, length: 768 }))
  const arena = new Arena({ allocate: (length) => new Float32Array(length), free: () => {} })
  const x = arena.adopt(new Float32Array(148 * 768))
  const channel = { send: () => t.fail('sent') } as unknown as CollectiveChannel
  const [peer, ...to] = names
  const options = { collective: 'ring', fusion: 'per-tensor', calls: 'streamed', chunks: 16 } as const
  const mean = meanOver(channel, { peer, round: 0, to, from: to }, x, { options, tensors })
  await t.throwsAsync(mean, {
    instanceOf: InputError,
    message: /takes 8\d{4} parts, expected at most 65536 .* fewer chunks/
  })
})
