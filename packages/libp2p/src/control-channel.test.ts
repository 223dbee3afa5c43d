import type { Stream } from '@libp2p/interface'
import test from 'ava'
import { ControlChannel } from './control-channel.js'
import { TrafficMeter } from './traffic.js'

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
