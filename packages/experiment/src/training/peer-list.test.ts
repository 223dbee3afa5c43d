import { peerName } from '@murmuration/core'
import { addressProblem, isPeerId } from '@murmuration/files/addresses'
import { createIdentity, createPeer, parsePeerId } from '@murmuration/libp2p'
import test from 'ava'
import fc from 'fast-check'

const [a, b] = ['a', 'b'].map(peerName)

test('a peer takes all addresses that files may have', async (t) => {
  const mixing = () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] })
  const [identity, { id }, relay] = await Promise.all([createIdentity(), createIdentity(), createIdentity()])
  const peer = await createPeer({
    self: a,
    identity,
    topology: { peers: [a, b], period: 1, mixing },
    seed: 1,
    listen: [],
    runSettings: { settings: {}, schema: [{ name: 'x', shape: [1] }], start: '' }
  })
  t.teardown(() => peer.close())
  const host = fc.oneof(
    fc.ipV4().map((text) => `/ip4/${text}`),
    fc.ipV6().map((text) => `/ip6/${text}`),
    fc.domain().map((text) => `/dns4/${text}`),
    fc.string().map((text) => `/dns/${text}`)
  )
  const port = fc.oneof(fc.nat(70_000).map(String), fc.string())
  const end = fc.constantFrom('', '/', `/p2p/${id}`, `/p2p/${relay.id}/p2p-circuit`, '/ws', '/p2p/x')
  const addresses = fc
    .sample(fc.tuple(host, port, end), { numRuns: 500, seed: 1 })
    .map(([where, at, rest]) => `${where}/tcp/${at}${rest}`)
    .filter((text) => addressProblem(text, 'dial') === undefined)
  t.true(addresses.length > 50, String(addresses.length))
  const entry = { name: b, id }
  t.notThrows(() =>
    peer.meet([
      { name: a, id: peer.id, addresses: [] },
      { ...entry, addresses }
    ])
  )
})

test('an id that files may have is one for libp2p, and the other way round', (t) => {
  const letters = [...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz']
  const end = fc.array(fc.constantFrom(...letters), { minLength: 44, maxLength: 44 }).map((all) => all.join(''))
  fc.assert(
    fc.property(fc.constantFrom('12D3KooW', '16Uiu2HAm', '16Uiu2HAk', 'Qm'), end, (start, rest) => {
      const read = () => parsePeerId(start + rest)
      if (isPeerId(start + rest)) read()
      else t.throws(read)
    }),
    { numRuns: 300, seed: 1 }
  )
})
