import test from 'ava'
import { browserAddresses } from './page-addresses.js'

const id = '12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp'
const rtc = (host: string) => `/ip4/${host}/udp/4001/webrtc-direct/certhash/uEiA/p2p/${id}`
const ws = (host: string) => `/ip4/${host}/tcp/4003/ws/p2p/${id}`

test('an invitation for browsers names the addresses of the network that a phone is in', (t) => {
  const all = ['127.0.0.1', '172.17.0.1', '10.8.0.2', '192.168.1.5'].flatMap((host) => [
    `/ip4/${host}/tcp/4001/p2p/${id}`,
    rtc(host),
    ws(host)
  ])
  t.deepEqual(browserAddresses(all), {
    names: ['192.168.1.5', '10.8.0.2', '172.17.0.1'],
    seeds: [rtc('192.168.1.5'), ws('192.168.1.5')]
  })
})

test('a peer that listens on loopback alone is for browsers of its machine', (t) => {
  t.deepEqual(browserAddresses([rtc('127.0.0.1'), ws('127.0.0.1')]), {
    names: [],
    seeds: [rtc('127.0.0.1'), ws('127.0.0.1')]
  })
})

test('addresses that no browser can call are passed over', (t) => {
  const others = [
    `/ip4/192.168.1.5/tcp/4001/p2p/${id}`,
    `/ip4/192.168.1.5/tcp/4001/p2p/${id}/p2p-circuit`,
    `/ip6/fe80::1/tcp/4003/ws/p2p/${id}`,
    `/ip4/192.168.1.5/udp/4001/quic-v1/p2p/${id}`
  ]
  t.deepEqual(browserAddresses(others), { names: [], seeds: [] })
})
