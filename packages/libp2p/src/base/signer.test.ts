import { generateKeyPair } from '@libp2p/crypto/keys'
import { InputError, type PeerName, peerName } from '@murmuration/core'
import test from 'ava'
import fc from 'fast-check'
import { createIdentity, Identity } from './identity.js'
import type { RunSettings } from './run-settings.js'
import { IdentitySigner } from './signer.js'

const settings: RunSettings = { settings: { run: 'test', seed: '1' }, schema: [{ name: 'x', shape: [2] }], start: '00' }
const [a, b, other] = ['a', 'b', 'other'].map(peerName)

/** Signers of "a" and "b", and of "other" with another type of key. */
async function signers(settingsOfB: RunSettings = settings) {
  const rsa = new Identity(await generateKeyPair('secp256k1'))
  const identities = new Map([
    [a, await createIdentity()],
    [b, await createIdentity()],
    [other, rsa]
  ])
  const idOf = (name: PeerName) => identities.get(name)?.id
  const of = (name: PeerName, settingsOfIt: RunSettings) =>
    new IdentitySigner(identities.get(name) ?? rsa, settingsOfIt, idOf)
  return { a: of(a, settings), b: of(b, settingsOfB), other: of(other, settings), key: identities.get(a)?.privateKey }
}

test('a signature is valid only for its signer and its exact text, whoever checks it', async (t) => {
  const of = await signers()
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string(), async (text, changed) => {
      const signature = await of.a.sign(text)
      t.true(of.b.verify(a, text, signature) && of.a.verify(a, text, signature))
      t.false(of.b.verify(b, text, signature) || of.b.verify(peerName('nobody'), text, signature))
      t.is(of.b.verify(a, changed, signature), changed === text)
    }),
    { numRuns: 30 }
  )
})

test('a signature has one valid form, and anything else is refused without an exception', async (t) => {
  const of = await signers()
  const signature = await of.a.sign('text')
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const similar = [...last].map((letter) => signature.slice(0, -1) + letter)
  t.deepEqual(
    similar.filter((each) => of.b.verify(a, 'text', each)),
    [signature]
  )
  for (const wrong of ['', 'x', '!'.repeat(86), `${signature}=`, ` ${signature}`, signature.slice(1), 'é'.repeat(86)]) {
    t.false(of.b.verify(a, 'text', wrong))
  }
  t.false(of.b.verify(a, '\ud801', await of.a.sign('\ud800')))
})

test('a signature from a run with other settings is invalid; the order of settings does not matter', async (t) => {
  for (const [change, counts] of [
    [{ settings: { seed: '1', run: 'test' } }, true],
    [{ settings: { ...settings.settings, seed: '2' } }, false],
    [{ start: '01' }, false]
  ] as const) {
    const of = await signers({ ...settings, ...change })
    t.is(of.a.verify(b, 'text', await of.b.sign('text')), counts)
  }
})

test('signed texts have a purpose as a prefix: the key signs no bare text', async (t) => {
  const of = await signers()
  const bare = Buffer.from((await of.key?.sign(Buffer.from('text'))) ?? []).toString('base64url')
  t.false(of.a.verify(a, 'text', bare))
})

test('an identity that is not Ed25519 cannot sign, and the error says so', async (t) => {
  const of = await signers()
  t.throws(() => of.other.sign('text'), { instanceOf: InputError, message: /secp256k1.*create an Ed25519 identity/ })
  t.false(of.a.verify(other, 'text', await of.a.sign('text')))
})
