import { InputError, peerName } from '@murmuration/core'
import test from 'ava'
import { createIdentity } from '../base/identity.js'
import { decodeInvitation, encodeInvitation, type InvitationTerms, invite } from './invitation.js'

const hash = 'uEiAP9qPhZH-gXzYsMv8D6JNAe3hAFNlyXQPP9eqj8Cityw'

async function termsOf(changes: Partial<InvitationTerms> = {}): Promise<InvitationTerms> {
  const member = (await createIdentity()).id
  return {
    name: peerName('carol'),
    issued: 1_795_821_062_829,
    expires: 1_795_993_862_829,
    fingerprint: '0f'.repeat(32),
    members: [member],
    seeds: [
      `/ip4/192.168.1.5/udp/4001/webrtc-direct/certhash/${hash}/p2p/${member}`,
      `/ip4/192.168.1.5/tcp/4003/ws/p2p/${member}`
    ],
    ...changes
  }
}

test('an invitation for a browser fits into a QR code of 80 columns, and arrives as it was', async (t) => {
  const invitation = await invite(await createIdentity(), await termsOf())
  const line = encodeInvitation(invitation)
  t.deepEqual(decodeInvitation(line), invitation)
  t.deepEqual(decodeInvitation(`  ${line.slice(0, 70)}\r\n${line.slice(70)} `), invitation)
  // Version 14 of QR codes (ISO/IEC 18004) has 73 modules, and room for 458 bytes.
  t.true(`http://192.168.100.100:42800/#join=${line}`.length <= 458, `${line.length}`)
})

test('an invitation arrives with any of its addresses, names and numbers of members', async (t) => {
  const [one, two, other] = await Promise.all([createIdentity(), createIdentity(), createIdentity()])
  const seeds = [
    `/dns4/${'a'.repeat(60)}.example/tcp/443/p2p/${two.id}`,
    `/ip6/2001:db8::1/tcp/4001/p2p/${other.id}`,
    `/ip4/203.0.113.5/tcp/4001/p2p/${one.id}/p2p-circuit/p2p/${two.id}`,
    '/ip4/203.0.113.5/tcp/4001'
  ]
  for (const members of [[], [one.id], [two.id, one.id]])
    for (const name of ['c', 'x'.repeat(32)]) {
      const terms = await termsOf({ name: peerName(name), members, seeds, issued: 0, expires: Number.MAX_SAFE_INTEGER })
      const invitation = await invite(other, terms)
      t.deepEqual(invitation.seeds, seeds)
      t.deepEqual(decodeInvitation(encodeInvitation(invitation)), invitation)
    }
})

test('no line but the whole one is an invitation', async (t) => {
  const line = encodeInvitation(await invite(await createIdentity(), await termsOf()))
  const bytes = Buffer.from(line.slice('murmur1.'.length), 'base64url')
  const refused = (text: string, message: RegExp) =>
    t.throws(() => decodeInvitation(text), { instanceOf: InputError, message }, text)
  for (let place = 0; place < bytes.length; place++) {
    const changed = Buffer.from(bytes)
    changed[place] ^= 1 << (place % 8)
    refused(`murmur1.${changed.toString('base64url')}`, /is damaged|is not signed/)
    if (place % 9 === 0) refused(`murmur1.${bytes.subarray(0, place).toString('base64url')}`, /is damaged/)
  }
  refused(`murmur1.${Buffer.concat([bytes, bytes]).toString('base64url')}`, /is damaged|is not signed/)
  refused('murmur1.eyJydW4iOiJ4In0', /is damaged/)
  refused('http://example.org', /does not begin with murmur1\./)
  refused(`murmur1.${'A'.repeat(5000)}`, /more than 4096/)
})
