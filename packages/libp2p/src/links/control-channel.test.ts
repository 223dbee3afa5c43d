import { setImmediate } from 'node:timers/promises'
import type { Stream } from '@libp2p/interface'
import test from 'ava'
import { ControlChannel } from './control-channel.js'
import { TrafficMeter } from '../base/traffic.js'

/** A stream whose `close` never resolves, as when it is cut while its buffer is full. */
class Stuck extends EventTarget {
  readonly status = 'open'
  readonly writeBufferLength = 0
  readonly aborted: string[] = []

  send(): boolean {
    return true
  }

  close(): Promise<void> {
    return new Promise(() => {})
  }

  abort({ message }: Error): void {
    this.aborted.push(message)
  }
}

test('closing ends at its limit, also when closing the stream does not', async (t) => {
  t.timeout(20_000)
  const stream = new Stuck()
  const channel = new ControlChannel(stream as unknown as Stream, new TrafficMeter())
  channel.send({ kind: 'leave', reason: 'done' })
  await channel.close(50)
  t.deepEqual(stream.aborted, ['not closed within 0.05 s'])
})

test('closing waits until the neighbour has closed, too: a reset connection discards what it has not read', async (t) => {
  t.timeout(20_000)
  const stream = Object.assign(new Stuck(), { close: async () => {} })
  const channel = new ControlChannel(stream as unknown as Stream, new TrafficMeter())
  channel.send({ kind: 'leave', reason: 'done' })
  let isClosed = false
  const closing = channel.close(10_000).then(() => (isClosed = true))
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  t.false(isClosed)
  stream.dispatchEvent(new Event('close'))
  await closing
  t.deepEqual(stream.aborted, [])
})
