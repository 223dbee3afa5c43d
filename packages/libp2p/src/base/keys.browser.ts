/** See keys.ts. */
import { ed25519 } from '@noble/curves/ed25519.js'

export type SigningKey = Uint8Array
export type VerifyingKey = Uint8Array

export function signingKey(secret: Uint8Array): SigningKey {
  return secret
}

export function verifyingKey(publicKey: Uint8Array): VerifyingKey {
  return publicKey
}

export function sign(bytes: Uint8Array, key: SigningKey): Uint8Array {
  return ed25519.sign(bytes, key)
}

export function verify(bytes: Uint8Array, signature: Uint8Array, key: VerifyingKey): boolean {
  // By RFC 8032, as OpenSSL does; the default of this library, ZIP 215, accepts more.
  return ed25519.verify(signature, bytes, key, { zip215: false })
}
