/** A stream may be closed before its first listener is added, and then no event reports it. */
import { messageStreamToDuplex } from '@libp2p/utils'
import test, { type ExecutionContext } from 'ava'
import { ControlChannel } from '../links/control-channel.js'
import { eventually } from '../cluster.test.support.js'
import { TrafficMeter } from '../base/traffic.js'
import { bareNode, bareStream } from './bare.test.support.js'

/** One end of a stream; the other end closed right after opening. */
async function closedStream(t: ExecutionContext) {
  const here = await bareNode(t)
  const there = await bareNode(t)
  const { near } = await bareStream(here, there)
  await there.stop()
  await eventually('the end', () => near.status !== 'open')
  return near
}

/** The outcome of a promise within two seconds. */
const fateOf = (promise: Promise<unknown>) =>
  Promise.race([
    promise.then(
      () => 'fulfilled',
      () => 'rejected'
    ),
    new Promise<string>((resolve) => setTimeout(() => resolve('pending'), 2_000))
  ])

test('libp2p 3.3: the iterable of a stream that is closed already never ends', async (t) => {
  const { source } = messageStreamToDuplex(await closedStream(t))
  t.is(await fateOf(source.next()), 'pending')
})

// libp2p alone would wait forever: the link would never be built again, and `close` of the peer would never resolve.
test('the first message of a stream that is closed already is not waited for', async (t) => {
  const control = new ControlChannel(await closedStream(t), new TrafficMeter())
  t.is(await fateOf(control.first(500)), 'rejected')
})

test('a channel over a stream that is closed already can be closed', async (t) => {
  const control = new ControlChannel(await closedStream(t), new TrafficMeter())
  control.send({ kind: 'ping', at: 0, padding: '' })
  t.is(await fateOf(control.close(500)), 'fulfilled')
})
