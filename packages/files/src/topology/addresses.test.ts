import test from 'ava'
import { addressProblem, isPeerId, placeInAddress } from './addresses.js'

const id = '12D3KooWG4NkYqDhzx4E2RgwWcHqgpSR3WBgpv7ycLRCCbn2zbaq'
const direct = '/ip4/10.0.0.1/udp/4001/webrtc-direct/certhash/uEiCU_1lo9RfL8rmhqsTMH_GpTnNkjgQvADu4FvLq2AVLIA'
const other = '12D3KooWB1y3fqdEQyWb4BzFXBFwcFqiigeos9CSPzPTCyHS2wnm'

test('addresses that a peer can use have no problem', (t) => {
  const both = [
    '/ip4/10.0.0.1/tcp/4001',
    '/ip4/169.254.7.1/tcp/65535',
    `/ip4/10.0.0.1/tcp/4001/p2p/${id}`,
    '/ip6/2001:db8::10/tcp/4001',
    '/dns/node-3/tcp/1',
    '/dns4/my_service.example.org./tcp/1',
    '/dns6/bücher.example/tcp/1',
    '/ip4/10.0.0.1/tcp/4002/ws',
    `/ip4/10.0.0.1/tcp/4002/ws/p2p/${id}`
  ]
  for (const text of both) for (const use of ['dial', 'listen'] as const) t.is(addressProblem(text, use), undefined)
  t.is(addressProblem('/ip4/0.0.0.0/tcp/0', 'listen'), undefined)
  t.is(addressProblem('/ip6/::/tcp/4001', 'listen'), undefined)
  t.is(addressProblem('/ip4/0.0.0.0/udp/4001/webrtc-direct', 'listen'), undefined)
  t.is(addressProblem(direct, 'dial'), undefined)
  t.is(addressProblem(`${direct}/p2p/${id}/p2p-circuit`, 'dial'), undefined)
  t.is(addressProblem(`/dns4/r.org/tcp/1/p2p/${id}/p2p-circuit`, 'dial'), undefined)
  t.is(addressProblem(`/dns4/r.org/tcp/1/p2p/${id}/p2p-circuit/p2p/${other}`, 'dial'), undefined)
})

test('of each other address the problem says what is expected', (t) => {
  const problems: Readonly<Record<string, RegExp>> = {
    '/ip4/10.0.0.1/tcp/04402': /^the port without leading zeros, 4402$/,
    '/ip4/10.0.0.1/tcp/0': /a port above 0$/,
    '/ip4/10.0.0.1/tcp/65536': /^a multiaddr of TCP/,
    '/ip4/10.0.0.01/tcp/1': /^a multiaddr of TCP/,
    '10.0.0.1:4001': /^a multiaddr of TCP/,
    '/ip6/fe80::1%eth0/tcp/1': /zone.*--lan/,
    '/ip6/fe80::1/tcp/1': /zone/,
    '/ip6zone/eth0/ip6/fe80::1/tcp/1': /zone/,
    '/ip6/::ffff:10.0.0.1/tcp/1': /IPv4 address as \/ip4/,
    '/ip6/64:ff9b::10.0.0.1/tcp/1': /^no dots: \/ip6\/64:ff9b::a00:1$/,
    '/ip4/0.0.0.0/tcp/1': /stands under "listen"$/,
    '/ip6/0::0/tcp/1': /stands under "listen"$/,
    '/ip4/224.0.0.251/tcp/1': /of one machine/,
    '/dns4/a b/tcp/1': /^a host name/,
    '/dns4/-a.org/tcp/1': /^a host name/,
    [`/dns4/${'a'.repeat(64)}.org/tcp/1`]: /^a host name/,
    '/dns4/a..b/tcp/1': /^a host name/,
    '/dns4/%41/tcp/1': /^a host name/,
    '/ip4/10.0.0.1/tcp/1/wss': /no \/wss/,
    '/ip4/10.0.0.1/tcp/1/ws/ws': /no \/ws/,
    '/dns4/a.org/tcp/443/tls/ws': /no \/tls/,
    '/ip4/10.0.0.1/udp/1/quic-v1': /do not use UDP \(QUIC.*except for WebRTC/,
    '/ip4/10.0.0.1/udp/1/webrtc-direct': /^the hash of the certificate/,
    [direct.slice(0, -1)]: /^the hash of the certificate/,
    [direct.replace(/.$/, 'B')]: /^the hash of the certificate/,
    [`${direct}/ws`]: /no \/ws/,
    '/ip4/10.0.0.1/tcp/1/': /^nothing after the port/,
    '/ip4/10.0.0.1/tcp/1/p2p/me': /^a libp2p peer id after/,
    [`/ip4/10.0.0.1/tcp/1/p2p/${id}/ws`]: /^nothing after the id/,
    '/ip4/10.0.0.1/tcp/1/p2p-circuit': /^the id of the relay before/,
    [`/ip4/10.0.0.1/tcp/1/p2p/${id}/p2p-circuit/ws`]: /^nothing after \/p2p-circuit/
  }
  for (const [text, expected] of Object.entries(problems)) t.regex(addressProblem(text, 'dial') ?? '', expected, text)
  t.regex(addressProblem(`/ip4/10.0.0.1/tcp/1/p2p/${id}/p2p-circuit`, 'listen') ?? '', /--via/)
})

test('an id is a hash or a key, not only letters of base58', (t) => {
  for (const text of [id, 'QmYyQSo1c1Ym7orWxLYvCrM2EmxFTANf8wXmmE7DWjhx5N']) t.true(isPeerId(text))
  t.true(isPeerId('16Uiu2HAmLhLvBoYaoZfaMUKuibM6ac163GwKY74c5kiSLg5KvLpY'))
  for (const start of ['12D3KooW', 'Qm', '16Uiu2HAm']) t.false(isPeerId(start + 'z'.repeat(44)))
})

test('the same place in other letters is the same text, and a relay is the place of many', (t) => {
  t.is(placeInAddress('/ip6/2001:DB8:0::1/tcp/1'), placeInAddress(`/ip6/2001:db8::1/tcp/1/p2p/${id}`))
  t.is(placeInAddress('/dns4/A.org/tcp/1'), placeInAddress('/dns4/a.org/tcp/1'))
  t.is(placeInAddress(`/ip4/10.0.0.1/tcp/1/p2p/${id}/p2p-circuit`), undefined)
  t.not(placeInAddress(direct), placeInAddress('/ip4/10.0.0.1/tcp/4001'))
})
