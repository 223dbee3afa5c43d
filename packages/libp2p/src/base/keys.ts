/** Ed25519 (RFC 8032) by Node. `keys.browser.ts` has the same for a page. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import type { Ed25519PrivateKey } from '@libp2p/interface'
import { textOf } from '../libraries/base.js'

/** A public key in the form that verifies fastest. */
export type VerifyingKey = KeyObject

/** Signs bytes; a signature has 64. A key that a browser keeps does so later. */
export type Sign = (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>

/** Signs by a private key, synchronously: libp2p's own functions may take a turn of the event loop each. */
export function signWith({ raw, publicKey }: Ed25519PrivateKey): Sign {
  const d = textOf(raw.subarray(0, 32), 'base64url')
  const key = createPrivateKey({ key: { ...jwkOf(publicKey.raw), d }, format: 'jwk' })
  return (bytes) => sign(null, bytes, key)
}

/** A public key of 32 bytes. */
export function verifyingKey(publicKey: Uint8Array): VerifyingKey {
  return createPublicKey({ key: jwkOf(publicKey), format: 'jwk' })
}

export function isSigned(bytes: Uint8Array, signature: Uint8Array, key: VerifyingKey): boolean {
  return verify(null, bytes, key, signature)
}

/** The JWK form of a key (RFC 8037): `crv`, `x` and, if private, `d`. */
function jwkOf(publicKey: Uint8Array) {
  return { kty: 'OKP', crv: 'Ed25519', x: textOf(publicKey, 'base64url') }
}
