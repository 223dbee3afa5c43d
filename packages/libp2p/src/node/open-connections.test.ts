import type { Connection } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import { eventually } from '../cluster.test.support.js'
import { asOpen, FakeConnection, fromOne } from '../connections.test.support.js'
import { defaultLimits } from '../base/constants.js'
import { openSeed } from '../discovery/open-seed.js'
import { createIdentity } from '../base/identity.js'
import { createNode } from './node.js'
import { OpenConnections } from './open-connections.js'

const closedOf = (connections: readonly FakeConnection[]) => connections.filter(({ isOpen }) => !isOpen).length

function opened(connections: readonly FakeConnection[], inUse: readonly FakeConnection[] = []): void {
  const open = new OpenConnections((connection) => inUse.some((each) => asOpen(each) === connection))
  for (const connection of connections) open.add(asOpen(connection))
}

test('one address with 300 connections loses its oldest ones to other addresses', (t) => {
  const many = fromOne('192.0.2.66', 300)
  const others = [fromOne('192.0.2.1', 1), fromOne('192.0.2.2', 1)].flat()
  opened([...many, ...others])
  t.is(closedOf(others), 0)
  t.is(closedOf(many.slice(0, 2)), 2)
  t.is(closedOf(many), 2)
})

test('300 connections of one address stay while there is room', (t) => {
  const many = fromOne('192.0.2.66', 300)
  opened(many)
  t.is(closedOf(many), 0)
})

test('a connection in use stays longer than an idle one of its address; a stream without a protocol is no use', (t) => {
  const talking = new FakeConnection('192.0.2.66', 'talking', ['/a/1'])
  const half = new FakeConnection('192.0.2.66', 'half', [''])
  const relayed = new FakeConnection('192.0.2.66', 'relayed')
  opened([talking, relayed, half, ...fromOne('192.0.2.66', 297), ...fromOne('192.0.2.1', 1)], [relayed])
  t.deepEqual([talking.isOpen, relayed.isOpen, half.isOpen], [true, true, false])
})

async function seedAndCaller(t: ExecutionContext) {
  const seed = await openSeed({ identity: await createIdentity(), listen: ['/ip4/127.0.0.1/tcp/0'] })
  t.teardown(() => seed.close())
  const node = await createNode({ identity: await createIdentity(), listen: [], limits: defaultLimits })
  t.teardown(async () => void (await node.stop()))
  await node.start()
  const dial = () => node.dial(multiaddr(seed.addresses[0]), { force: true })
  return dial
}

test('of the connections of one peer the newest eight stay', async (t) => {
  const dial = await seedAndCaller(t)
  const connections: Connection[] = []
  for (let k = 0; k < 10; k++) connections.push(await dial())
  await eventually('the end of two', () => connections.filter(({ status }) => status !== 'open').length >= 2)
  t.deepEqual(
    connections.map(({ status }) => status === 'open'),
    connections.map((_, index) => index >= 2)
  )
})
