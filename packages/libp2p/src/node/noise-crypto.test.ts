import { type ICryptoInterface, pureJsCrypto } from '@chainsafe/libp2p-noise'
import test from 'ava'
import fc from 'fast-check'
import { Uint8ArrayList } from 'uint8arraylist'
import { noiseCrypto } from './noise-crypto.js'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const some = (maxLength: number) => fc.uint8Array({ maxLength })

/** The type of scattered records. noise uses another version of the package than this one; only their types differ. */
type Scattered = Exclude<Parameters<ICryptoInterface['chaCha20Poly1305Encrypt']>[0], Uint8Array>

/** The same bytes, scattered over pieces. */
function scattered(whole: Uint8Array, size: number): Scattered {
  const list = new Uint8ArrayList()
  for (let from = 0; from < whole.byteLength; from += size) list.append(whole.slice(from, from + size))
  return list as unknown as Scattered
}

test('records equal those of another implementation, however they are split, both ways', (t) => {
  fc.assert(
    fc.property(
      some(3000),
      bytes(12),
      some(40),
      bytes(32),
      fc.integer({ min: 1, max: 700 }),
      (text, nonce, ad, key, size) => {
        const expected = pureJsCrypto.chaCha20Poly1305Encrypt(text, nonce, ad, key).subarray()
        const record = scattered(expected, size)
        const ours = noiseCrypto.chaCha20Poly1305Encrypt(scattered(text, size), nonce, ad, key).subarray()
        t.deepEqual(Uint8Array.from(ours), Uint8Array.from(expected))
        const inOnePiece = record.slice(0, text.byteLength)
        for (const room of [inOnePiece, undefined]) {
          const read = noiseCrypto.chaCha20Poly1305Decrypt(record, nonce, ad, key, room)
          t.deepEqual(Uint8Array.from(read.subarray()), text)
        }
      }
    ),
    { numRuns: 200 }
  )
})

test('a record with one bit changed, in text, tag or associated data, is not decrypted', (t) => {
  fc.assert(
    fc.property(some(200), bytes(12), bytes(8), bytes(32), fc.nat(), (text, nonce, ad, key, place) => {
      const record = Uint8Array.from(noiseCrypto.chaCha20Poly1305Encrypt(text, nonce, ad, key).subarray())
      const changed = place % (8 * (record.byteLength + ad.byteLength))
      const [of, bit] = changed < 8 * record.byteLength ? [record, changed] : [ad, changed - 8 * record.byteLength]
      of[bit >> 3] ^= 1 << (bit & 7)
      const inOnePiece = record.slice(0, text.byteLength)
      t.throws(() => noiseCrypto.chaCha20Poly1305Decrypt(record, nonce, ad, key, inOnePiece))
    })
  )
})

test('shared secrets equal those of another implementation, and are equal at both ends', (t) => {
  for (let run = 0; run < 20; run++) {
    const own = noiseCrypto.generateX25519KeyPair()
    const foreign = pureJsCrypto.generateX25519KeyPair()
    const expected = Uint8Array.from(pureJsCrypto.generateX25519SharedKey(foreign.privateKey, own.publicKey).subarray())
    for (const publicKey of [foreign.publicKey, scattered(foreign.publicKey.subarray(), 5)]) {
      const ours = noiseCrypto.generateX25519SharedKey(own.privateKey, publicKey)
      t.deepEqual(Uint8Array.from(ours.subarray()), expected)
    }
    const copy = Uint8Array.from(own.privateKey.subarray())
    t.deepEqual(Uint8Array.from(noiseCrypto.generateX25519SharedKey(copy, foreign.publicKey).subarray()), expected)
  }
})

test('public keys with a zero secret or a wrong length are refused', (t) => {
  const { privateKey } = noiseCrypto.generateX25519KeyPair()
  const one = Uint8Array.from({ length: 32 }, (_, index) => (index === 0 ? 1 : 0))
  for (const publicKey of [new Uint8Array(32), one, new Uint8Array(31).fill(9), new Uint8Array(0)]) {
    t.throws(() => noiseCrypto.generateX25519SharedKey(privateKey, publicKey))
  }
})
