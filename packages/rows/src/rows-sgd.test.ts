import { DivergedError, type TaskRows } from '@murmuration/core'
import test from 'ava'
import type { Keys } from './keys.js'
import { type KeyNode, rowsSgd } from './rows-sgd.js'

test('a gradient that is not finite ends training with that, and nobody is sent it', async (t) => {
  const done = () => Promise.resolve()
  const keys = { pull: done, wait: done, tick: done, pushAsync: () => t.fail('pushed'), end: () => {} }
  const gradient = (_rows: unknown, _keys: unknown, _batch: unknown, out: Float32Array) => {
    out[0] = Number.POSITIVE_INFINITY
    return { kind: 'gradient', samples: 1, run: () => 7 }
  }
  const rows = { count: 2, width: 1, keysOf: () => Uint32Array.of(0, 1), gradient } as unknown as TaskRows
  const fabric = { work: (work: { run(): number }) => Promise.resolve(work.run()) }
  const node = {
    fabric,
    keys: keys as unknown as Keys,
    rows,
    round: 0,
    rate: 3,
    ahead: 0,
    tick: 10
  } as unknown as KeyNode
  await t.throwsAsync(rowsSgd(node, [Uint32Array.of(0)]), {
    instanceOf: DivergedError,
    message: /a gradient is not finite at a learning rate of 3; lower the rate/
  })
})
