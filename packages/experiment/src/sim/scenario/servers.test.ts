import { peerName } from '@murmuration/core'
import test from 'ava'
import { methodSchema } from './methods.js'
import { ownServerNames, serversOf } from './servers.js'

const peers = ['a', 'b', 'c'].map(peerName)
const methodOf = (options: object) => methodSchema.parse({ algorithm: 'parameter-server', ...options })
const names = (options: object) => serversOf(methodOf(options), peers).map(({ name, on }) => `${name} ${on ?? ''}`)

test('servers are on machines of their own, on one peer, or one on each worker', (t) => {
  t.deepEqual(names({}), ['server '])
  t.deepEqual(names({ servers: 2 }), ['server-1 ', 'server-2 '])
  t.deepEqual(names({ on: 'b' }), ['server b'])
  t.deepEqual(names({ on: 'b', servers: 2 }), ['server-1 b', 'server-2 b'])
  t.deepEqual(names({ on: 'workers' }), ['server-1 a', 'server-2 b', 'server-3 c'])
  t.deepEqual(names({ on: 'workers', servers: 1 }), ['server a'])
  t.deepEqual(serversOf(methodSchema.parse({ algorithm: 'all-reduce' }), peers), [])
})

test('the links and faults of a scenario may speak of all servers that have a machine of their own', (t) => {
  const methods = [{}, { servers: 2 }, { on: 'workers' }, { on: 'b', servers: 9 }].map(methodOf)
  t.deepEqual<string[], string[]>([...ownServerNames(methods)], ['server', 'server-1', 'server-2'])
})
