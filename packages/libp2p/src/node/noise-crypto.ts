import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject
} from 'node:crypto'
import type { ICryptoInterface } from '@chainsafe/libp2p-noise'
import { defaultCrypto } from '#platform/libraries/network.js'

const cipher = 'chacha20-poly1305'
const tagLength = 16
const options = { authTagLength: tagLength }

/** For shorter records, noise's default WebAssembly is used: creating an OpenSSL cipher takes four times as long. */
const shortRecord = 1200

type Encrypt = ICryptoInterface['chaCha20Poly1305Encrypt']
type Decrypt = ICryptoInterface['chaCha20Poly1305Decrypt']
type KeyPair = ReturnType<ICryptoInterface['generateX25519KeyPair']>

/** Encrypts the pieces of a record without concatenating them first. */
const encrypt: Encrypt = (plaintext, nonce, associated, key) => {
  if (plaintext.byteLength < shortRecord) {
    return defaultCrypto.chaCha20Poly1305Encrypt(plaintext, nonce, associated, key)
  }
  const encrypting = createCipheriv(cipher, key, nonce, options)
  if (associated.byteLength > 0) encrypting.setAAD(associated, { plaintextLength: plaintext.byteLength })
  if (plaintext instanceof Uint8Array) {
    const text = encrypting.update(plaintext)
    encrypting.final()
    return Buffer.concat([text, encrypting.getAuthTag()])
  }
  const record = plaintext.sublist(0, 0)
  for (const piece of plaintext) record.append(encrypting.update(piece))
  encrypting.final()
  record.append(encrypting.getAuthTag())
  return record
}

/**
 * Decrypts a record in one call. The memory that noise offers for the result already holds a contiguous copy of the
 * ciphertext. A ciphertext that is scattered over several buffers is decrypted from that copy.
 */
const decrypt: Decrypt = (ciphertext, nonce, associated, key, inOnePiece) => {
  const length = ciphertext.byteLength - tagLength
  if (length < shortRecord) return defaultCrypto.chaCha20Poly1305Decrypt(ciphertext, nonce, associated, key)
  const whole = inOnePiece?.byteLength === length ? inOnePiece : ciphertext.subarray(0, length)
  const decrypting = createDecipheriv(cipher, key, nonce, options)
  if (associated.byteLength > 0) decrypting.setAAD(associated, { plaintextLength: length })
  decrypting.setAuthTag(ciphertext.subarray(length))
  const plaintext = decrypting.update(whole)
  // Throws when the tag is wrong, so unauthenticated plaintext is never returned.
  decrypting.final()
  return plaintext
}

/**
 * OpenSSL's key objects, by the private keys that were created here: importing a key takes seven times as long as using
 * it.
 */
const keyObjects = new WeakMap<Uint8Array, KeyObject>()

function generateX25519KeyPair(): KeyPair {
  const { privateKey } = generateKeyPairSync('x25519')
  const { x = '', d = '' } = privateKey.export({ format: 'jwk' })
  const pair = { publicKey: Buffer.from(x, 'base64url'), privateKey: Buffer.from(d, 'base64url') }
  keyObjects.set(pair.privateKey, privateKey)
  return pair
}

/** The shared secret. Throws for a public key of a wrong length, and for one that makes the secret zero. */
const generateX25519SharedKey: ICryptoInterface['generateX25519SharedKey'] = (secret, publicKey) => {
  const privateKey = secret instanceof Uint8Array ? keyObjects.get(secret) : undefined
  if (privateKey === undefined) return defaultCrypto.generateX25519SharedKey(secret, publicKey)
  const x = Buffer.from(publicKey.subarray()).toString('base64url')
  return diffieHellman({
    privateKey,
    publicKey: createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' })
  })
}

/**
 * The cryptography for noise: its defaults, except OpenSSL for long records and for X25519, which imports each key only
 * once.
 */
export const noiseCrypto: ICryptoInterface = {
  ...defaultCrypto,
  chaCha20Poly1305Encrypt: encrypt,
  chaCha20Poly1305Decrypt: decrypt,
  generateX25519KeyPair,
  generateX25519SharedKey
}
