/**
 * Ed25519 (RFC 8032) with the keys of peer ids, synchronous: libp2p's functions may take a turn of the event loop each.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { InputError } from '@murmuration/core'
import { peerIdFromString, textOf } from '../libraries/base.js'
import type { Identity } from './identity.js'

/** The length of a signature, in bytes and in base64url. */
const signatureBytes = 64
const signatureLength = 86

/** The signature of a text, in base64url. */
export function signText(text: string, key: KeyObject): string {
  return sign(null, Buffer.from(text), key).toString('base64url')
}

/** Whether `signature` is that of `text` by a key. */
export function isSignatureOf(text: string, signature: string, key: KeyObject | null): boolean {
  // All lone surrogates encode to the same bytes.
  if (key === null || signature.length !== signatureLength || !text.isWellFormed()) return false
  const bytes = Buffer.from(signature, 'base64url')
  // Only the canonical base64url form is valid: other last letters could decode to the same bytes.
  const isPlain = bytes.byteLength === signatureBytes && bytes.toString('base64url') === signature
  return isPlain && verify(null, Buffer.from(text), key, bytes)
}

/** The key of a peer id; null for one without an Ed25519 key. */
export function publicKeyOf(id: string): KeyObject | null {
  const { publicKey } = peerIdFromString(id)
  return publicKey?.type === 'Ed25519' ? createPublicKey({ key: jwkOf(publicKey.raw), format: 'jwk' }) : null
}

/** The private key of an identity. Throws an InputError for one that is not Ed25519. */
export function privateKeyOf({ id, privateKey }: Identity): KeyObject {
  if (privateKey.type !== 'Ed25519') {
    throw new InputError(`the key of ${id} is ${privateKey.type}, which cannot sign; create an Ed25519 identity`)
  }
  const d = textOf(privateKey.raw.subarray(0, 32), 'base64url')
  return createPrivateKey({ key: { ...jwkOf(privateKey.publicKey.raw), d }, format: 'jwk' })
}

/** The JWK form of a key (RFC 8037): `crv`, `x` and, if private, `d`. */
function jwkOf(publicKey: Uint8Array) {
  return { kty: 'OKP', crv: 'Ed25519', x: textOf(publicKey, 'base64url') }
}
