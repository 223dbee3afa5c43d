import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createRandom } from '@murmuration/random'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import { defaultLimits, limitsOf } from '../base/constants.js'
import { createIdentity } from '../base/identity.js'
import { createNode } from '../node/node.js'
import { type AttemptEnd, isRefusal, Reconnection } from './reconnection.js'

const { initialBackoff, maxBackoff, callWait } = defaultLimits
const held: AttemptEnd = { reason: 'lost', upFor: maxBackoff + 1 }
const short: AttemptEnd = { reason: 'lost', upFor: 1 }
const refusal: AttemptEnd = { reason: 'refused', isRefusal: true }
const failure: AttemptEnd = { reason: 'no answer' }

/**
 * After each of these ends: the longest wait before the next attempt, in multiples of the first backoff, and whether
 * the machine refuses.
 */
function after(...ends: readonly AttemptEnd[]) {
  const reconnection = new Reconnection(defaultLimits, createRandom(1, 'test'))
  return ends.map((end) => {
    reconnection.note(end)
    const waits = Array.from({ length: 200 }, () => reconnection.backoff())
    return [Math.round(Math.max(...waits) / initialBackoff), reconnection.isRefused] as const
  })
}

test('after a loss two calls follow soon, and when both are refused the neighbour counts as refused', (t) => {
  t.deepEqual(after(held, refusal, refusal, refusal), [
    [1, false],
    [1, false],
    [4, true],
    [8, true]
  ])
})

test('one refusal does not count: the next call may be answered, or fail otherwise', (t) => {
  t.deepEqual(
    after(refusal, failure, refusal, held, refusal).map(([, isRefused]) => isRefused),
    [false, false, false, false, false]
  )
})

test('links that are repeatedly lost soon are rebuilt less and less often; other ends do not count', (t) => {
  const most = maxBackoff / initialBackoff
  t.deepEqual(
    after(short, short, short, short, short, short, held, short).map(([waits]) => waits),
    [1, 2, 4, 8, 16, most, 1, 1]
  )
  t.deepEqual(
    after(failure, failure, failure, short).map(([waits]) => waits),
    [1, 2, 4, 1]
  )
})

test('a neighbour that was connected gets less time to call, and one that refuses none', (t) => {
  const reconnection = new Reconnection(defaultLimits, createRandom(1, 'test'))
  const waits = [reconnection.callWait]
  for (const end of [held, refusal, held]) {
    reconnection.note(end)
    waits.push(reconnection.callWait)
  }
  t.deepEqual(waits, [callWait, initialBackoff, 0, initialBackoff])
})

/** The address of a server that does not speak the protocol, and that of a closed one. */
async function servers(t: ExecutionContext) {
  const open = createServer((socket) => socket.end('nothing')).listen(0, '127.0.0.1')
  const closed = createServer().listen(0, '127.0.0.1')
  await Promise.all([once(open, 'listening'), once(closed, 'listening')])
  const [up, down] = [open, closed].map((server) => `/ip4/127.0.0.1/tcp/${(server.address() as AddressInfo).port}`)
  closed.close()
  t.teardown(() => open.close())
  return { up, down }
}

test('a machine refuses if all its addresses do', async (t) => {
  const { up, down } = await servers(t)
  const node = await createNode({ identity: await createIdentity(), listen: [], limits: limitsOf() })
  await node.start()
  t.teardown(() => node.stop())
  const dial = async (...addresses: string[]) => {
    const error: unknown = await t.throwsAsync(node.dial(addresses.map((address) => multiaddr(address))))
    return isRefusal(error)
  }
  t.true(await dial(down))
  t.true(await dial(down, down.replace('127.0.0.1', '127.0.0.2')))
  t.false(await dial(up))
  t.false(await dial(down, up))
  t.false(isRefusal('ECONNREFUSED'))
})
