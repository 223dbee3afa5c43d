import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { ICryptoInterface } from '@chainsafe/libp2p-noise'
import { defaultCrypto } from '@chainsafe/libp2p-noise/crypto'

const cipher = 'chacha20-poly1305'
const tagLength = 16
const options = { authTagLength: tagLength }

type Encrypt = ICryptoInterface['chaCha20Poly1305Encrypt']
type Decrypt = ICryptoInterface['chaCha20Poly1305Decrypt']

/** Encrypts the pieces of a record as they lie, without putting them together first. */
const encrypt: Encrypt = (plaintext, nonce, associated, key) => {
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
 * Decrypts a record in one go. noise offers memory for the result, which it has made as one copy of all that is encrypted: what is
 * scattered over several buffers is decrypted from there.
 */
const decrypt: Decrypt = (ciphertext, nonce, associated, key, inOnePiece) => {
  const length = ciphertext.byteLength - tagLength
  const whole = inOnePiece?.byteLength === length ? inOnePiece : ciphertext.subarray(0, length)
  const decrypting = createDecipheriv(cipher, key, nonce, options)
  if (associated.byteLength > 0) decrypting.setAAD(associated, { plaintextLength: length })
  decrypting.setAuthTag(ciphertext.subarray(length))
  const plaintext = decrypting.update(whole)
  // Throws when the tag does not fit: nobody sees what was decrypted.
  decrypting.final()
  return plaintext
}

/**
 * What noise computes with: what it computes with by default, which is OpenSSL for keys and hashes (its curves in JavaScript take many times
 * as long, which full meshes feel), but for the records. noise's own use of OpenSSL for those takes an eighth more of the processor, as it decrypts record by record in the pieces that the network happened to bring.
 */
export const noiseCrypto: ICryptoInterface = {
  ...defaultCrypto,
  chaCha20Poly1305Encrypt: encrypt,
  chaCha20Poly1305Decrypt: decrypt
}
