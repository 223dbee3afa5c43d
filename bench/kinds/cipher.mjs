/**
 * What encrypting and decrypting a vector costs and nothing else: each process encrypts a neighbour's vector with
 * ChaCha20-Poly1305 in records as noise has them, decrypts it, and averages. No exchange that is encrypted on the
 * thread that sends and receives can be faster.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { averageAndCheck, bytesOf, copyBytes, fillVector } from '../vectors.mjs'

/** The most that fits into a noise message, 65,535 bytes, besides its tag. */
const recordBytes = 65_519

const algorithm = 'chacha20-poly1305'
const settings = { authTagLength: 16 }

export async function open({ self, neighbours, take, fill }) {
  const [neighbour] = neighbours
  const key = randomBytes(32)
  const nonce = randomBytes(12)
  const own = fill(take())
  const source = fillVector(neighbour, take())
  const theirs = [take()]
  const exchange = async () => {
    pass(key, nonce, bytesOf(source), bytesOf(theirs[0]))
    await averageAndCheck({ self, neighbours: [neighbour], own, theirs, tolerance: 1e-6 })
  }
  return { exchange, close: () => {} }
}

/** Encrypts record by record, and decrypts each into its place. */
function pass(key, nonce, source, target) {
  for (let offset = 0; offset < source.byteLength; offset += recordBytes) {
    nonce.writeUInt32LE(offset / recordBytes, 4)
    const cipher = createCipheriv(algorithm, key, nonce, settings)
    const encrypted = cipher.update(source.subarray(offset, offset + recordBytes))
    cipher.final()
    const decipher = createDecipheriv(algorithm, key, nonce, settings)
    decipher.setAuthTag(cipher.getAuthTag())
    copyBytes(target, decipher.update(encrypted), offset)
    decipher.final()
  }
}
