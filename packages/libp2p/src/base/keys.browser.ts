/** See keys.ts. */
import type { Ed25519PrivateKey } from '@libp2p/interface'
import { ed25519 } from '@noble/curves/ed25519.js'
import type { Sign } from './keys.js'
import { KeptKey } from './kept-key.browser.js'

export type VerifyingKey = Uint8Array

/** By the browser for a key that it keeps, else by JavaScript, at once. */
export function signWith(key: Ed25519PrivateKey): Sign {
  if (key instanceof KeptKey) return (bytes) => key.sign(bytes)
  const secret = key.raw.subarray(0, 32)
  return (bytes) => ed25519.sign(bytes, secret)
}

export function verifyingKey(publicKey: Uint8Array): VerifyingKey {
  return publicKey
}

export function isSigned(bytes: Uint8Array, signature: Uint8Array, key: VerifyingKey): boolean {
  // By RFC 8032, as OpenSSL does; the default of this library, ZIP 215, accepts more.
  return ed25519.verify(signature, bytes, key, { zip215: false })
}
