import type { Listener } from '@libp2p/interface'
import test from 'ava'
import { multiaddr } from '#platform/libraries/base.js'
import { lanProblem, multicastProblem, withLinkLocal } from './lan.js'

const texts = (all: ReturnType<Listener['getAddrs']>) => all.map(String)

/** A listener that has these addresses once it listens. */
const listenerWith = (...addresses: readonly string[]) =>
  ({ listen: () => Promise.resolve(), getAddrs: () => addresses.map((text) => multiaddr(text)) }) as unknown as Listener

test('a listener at all addresses has the link-local ones of IPv4, after the others', async (t) => {
  const hosts = ['127.0.0.1', '172.17.0.1', '169.254.7.1', 'fe80::1']
  const own = ['/ip4/127.0.0.1/tcp/4001', '/ip4/172.17.0.1/tcp/4001']
  const everywhere = withLinkLocal(listenerWith(...own), () => hosts)
  await everywhere.listen(multiaddr('/ip4/0.0.0.0/tcp/4001'))
  t.deepEqual(texts(everywhere.getAddrs()), [...own, '/ip4/169.254.7.1/tcp/4001'])
  const here = withLinkLocal(listenerWith(own[0]), () => hosts)
  await here.listen(multiaddr(own[0]))
  t.deepEqual(texts(here.getAddrs()), [own[0]])
})

test('why nobody on the local network can find a node', (t) => {
  const loopback = [multiaddr('/ip4/127.0.0.1/tcp/4001')]
  const problem = (...hosts: readonly string[]) => lanProblem(['/ip4/0.0.0.0/tcp/0'], loopback, ['127.0.0.1', ...hosts])
  t.regex(problem() ?? '', /no address in a local network/)
  t.regex(problem('fe80::1') ?? '', /only link-local addresses of IPv6 \(fe80::1\).*give it an IPv4 address/)
  t.regex(problem('fe80::1', 'fd00::2') ?? '', /give --listen \/ip6\/::\/tcp\/0/)
  t.is(lanProblem(['/ip4/0.0.0.0/tcp/0'], [multiaddr('/ip4/169.254.7.1/tcp/1')], []), undefined)
  t.is(lanProblem(['/ip4/127.0.0.1/tcp/0'], loopback, []), undefined, 'on purpose')
})

test('a machine that cannot send to the group of multicast DNS says so', async (t) => {
  t.is(await multicastProblem('127.0.0.1'), undefined)
  // The kernel lets nobody send there who has not asked for it.
  t.regex((await multicastProblem('255.255.255.255')) ?? '', /no route leads to 255\.255\.255\.255.* \(.*E[A-Z]+.*\)/)
})
