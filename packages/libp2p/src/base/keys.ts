/** Ed25519 (RFC 8032) by Node. `keys.browser.ts` has the same for a page. */
import { createPrivateKey, createPublicKey, type KeyObject, sign as signWith, verify as verifyWith } from 'node:crypto'
import { textOf } from '#platform/libraries/base.js'

/** Keys in the form that signs and verifies fastest. */
export type SigningKey = KeyObject
export type VerifyingKey = KeyObject

/** A private key of 32 bytes, with its public key. */
export function signingKey(secret: Uint8Array, publicKey: Uint8Array): SigningKey {
  return createPrivateKey({ key: { ...jwkOf(publicKey), d: textOf(secret, 'base64url') }, format: 'jwk' })
}

/** A public key of 32 bytes. */
export function verifyingKey(publicKey: Uint8Array): VerifyingKey {
  return createPublicKey({ key: jwkOf(publicKey), format: 'jwk' })
}

/** The signature, of 64 bytes. */
export function sign(bytes: Uint8Array, key: SigningKey): Uint8Array {
  return signWith(null, bytes, key)
}

export function verify(bytes: Uint8Array, signature: Uint8Array, key: VerifyingKey): boolean {
  return verifyWith(null, bytes, key, signature)
}

/** The JWK form of a key (RFC 8037): `crv`, `x` and, if private, `d`. */
function jwkOf(publicKey: Uint8Array) {
  return { kty: 'OKP', crv: 'Ed25519', x: textOf(publicKey, 'base64url') }
}
