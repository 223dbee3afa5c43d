import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { peerIdFromString } from '@libp2p/peer-id'
import { InputError, type PeerName } from '@murmuration/core'
import { hashText } from '@murmuration/vectors'
import { toString as textOf } from 'uint8arrays/to-string'
import type { Identity } from './identity.js'
import type { RunSettings } from './run-settings.js'

/** Signs what this peer says of itself, and checks what others say of themselves, whoever passes it on. */
export interface Signer {
  /** The signature of a text by this peer's identity, in base64url. Throws an InputError when that has no Ed25519 key. */
  sign(text: string): string
  /** Whether `signature` is that of `text` by the identity of `peer` in the peer list. Only Ed25519 keys can sign. */
  verify(peer: PeerName, text: string, signature: string): boolean
}

/** The length of a signature, in bytes and in base64url. */
const signatureBytes = 64
const signatureLength = 86

/**
 * Ed25519 (RFC 8032) by the keys of peer ids, at once: libp2p's own functions may take a turn of the event loop for each. What is signed begins
 * with the purpose and a hash of the run's settings, so that a signature counts for nothing else, and in no run with other settings.
 */
export class IdentitySigner implements Signer {
  readonly #identity: Identity
  readonly #idOf: (peer: PeerName) => string | undefined
  readonly #context: string
  #privateKey: KeyObject | undefined
  /** By peer id; null for one without an Ed25519 key. */
  readonly #publicKeys = new Map<string, KeyObject | null>()

  /** @param idOf - the id that the peer list has of a peer */
  constructor(identity: Identity, runSettings: RunSettings, idOf: (peer: PeerName) => string | undefined) {
    this.#identity = identity
    this.#idOf = idOf
    const { settings, schema, start } = runSettings
    const sorted = Object.entries(settings).sort(([left], [right]) => (left < right ? -1 : 1))
    this.#context = `murmuration note 1 ${hashText(JSON.stringify([sorted, schema, start]))} `
  }

  sign(text: string): string {
    this.#privateKey ??= privateKeyOf(this.#identity)
    return sign(null, this.#bytesOf(text), this.#privateKey).toString('base64url')
  }

  verify(peer: PeerName, text: string, signature: string): boolean {
    const id = this.#idOf(peer)
    // Halves of a surrogate pair all become the same bytes.
    if (id === undefined || signature.length !== signatureLength || !text.isWellFormed()) return false
    const key = this.#publicKeyOf(id)
    const bytes = Buffer.from(signature, 'base64url')
    // One signature has one form: other letters at the end could mean the same bytes.
    const isPlain = bytes.byteLength === signatureBytes && bytes.toString('base64url') === signature
    return key !== null && isPlain && verify(null, this.#bytesOf(text), key, bytes)
  }

  #bytesOf(text: string): Uint8Array {
    return Buffer.from(this.#context + text)
  }

  #publicKeyOf(id: string): KeyObject | null {
    const known = this.#publicKeys.get(id)
    if (known !== undefined) return known
    const { publicKey } = peerIdFromString(id)
    const key = publicKey?.type === 'Ed25519' ? publicKeyFrom(publicKey.raw) : null
    this.#publicKeys.set(id, key)
    return key
  }
}

/** RFC 8037: a key as `crv`, `x` and, if private, `d`. */
const publicKeyFrom = (raw: Uint8Array) => createPublicKey({ key: jwkOf(raw), format: 'jwk' })

function privateKeyOf({ id, privateKey }: Identity): KeyObject {
  if (privateKey.type !== 'Ed25519') {
    throw new InputError(`the key of ${id} is ${privateKey.type}, which cannot sign notes; create an Ed25519 identity`)
  }
  const d = textOf(privateKey.raw.subarray(0, 32), 'base64url')
  return createPrivateKey({ key: { ...jwkOf(privateKey.publicKey.raw), d }, format: 'jwk' })
}

function jwkOf(publicKey: Uint8Array) {
  return { kty: 'OKP', crv: 'Ed25519', x: textOf(publicKey, 'base64url') }
}
