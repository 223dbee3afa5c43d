/**
 * Ed25519 (RFC 8032) with the keys of peer ids.
 */
import { isSigned, signWith, verifyingKey, type VerifyingKey } from '#platform/base/keys.js'
import { InputError } from '@murmuration/core'
import { fromString, peerIdFromString, textOf } from '#platform/libraries/base.js'
import { fromBase64 } from './bytes.js'
import type { Identity } from './identity.js'

/** The length of a signature, in bytes and in base64url. */
const signatureBytes = 64
const signatureLength = 86

/** Signs texts; signatures are in base64url. */
export type SignText = (text: string) => string | Promise<string>

/** Signs texts by an identity. Throws an InputError for one that is not Ed25519. */
export function textSigner({ id, privateKey }: Identity): SignText {
  if (privateKey.type !== 'Ed25519') {
    throw new InputError(`the key of ${id} is ${privateKey.type}, which cannot sign; create an Ed25519 identity`)
  }
  const sign = signWith(privateKey)
  const written = (signature: Uint8Array) => textOf(signature, 'base64url')
  return (text) => {
    const signature = sign(fromString(text))
    return signature instanceof Promise ? signature.then(written) : written(signature)
  }
}

/** The signature of a text by an identity; see {@link textSigner}. */
export async function signText(text: string, identity: Identity): Promise<string> {
  return textSigner(identity)(text)
}

/** Whether `signature` is that of `text` by a key. */
export function isSignatureOf(text: string, signature: string, key: VerifyingKey | null): boolean {
  // All lone surrogates encode to the same bytes.
  if (key === null || signature.length !== signatureLength || !text.isWellFormed()) return false
  const bytes = fromBase64(signature, 'base64url')
  return bytes?.byteLength === signatureBytes && isSigned(fromString(text), bytes, key)
}

/** The key of a peer id; null for one without an Ed25519 key. */
export function publicKeyOf(id: string): VerifyingKey | null {
  const { publicKey } = peerIdFromString(id)
  return publicKey?.type === 'Ed25519' ? verifyingKey(publicKey.raw) : null
}
