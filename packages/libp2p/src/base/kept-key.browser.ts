import type { AbortOptions, Ed25519PrivateKey, Ed25519PublicKey } from '@libp2p/interface'
import { InputError } from '@murmuration/core'
import type { Uint8ArrayList } from 'uint8arraylist'
import { publicKeyFromRaw } from '#platform/libraries/base.js'

const algorithm = 'Ed25519'

/** A private key that the browser keeps: scripts can sign with it, and none can read it (Web Cryptography, 13). */
export class KeptKey implements Ed25519PrivateKey {
  readonly type = algorithm
  readonly publicKey: Ed25519PublicKey

  /**
   * @param handle - of the private key; the browser's database can store it
   * @param publicKey - of 32 bytes
   */
  constructor(
    readonly handle: CryptoKey,
    publicKey: Uint8Array
  ) {
    this.publicKey = publicKeyFromRaw(publicKey) as Ed25519PublicKey
  }

  /** A new key; `undefined` where the browser has none of this kind, as in pages that are not from a secure origin. */
  static async create(): Promise<KeptKey | undefined> {
    try {
      const pair = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
      return new KeptKey(pair.privateKey, new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey)))
    } catch {
      return undefined
    }
  }

  get raw(): Uint8Array {
    throw new InputError('the browser keeps this private key, and hands it out to nobody')
  }

  equals(key?: unknown): boolean {
    return key instanceof KeptKey && key.publicKey.equals(this.publicKey)
  }

  async sign(data: Uint8Array | Uint8ArrayList, options?: AbortOptions): Promise<Uint8Array> {
    options?.signal?.throwIfAborted()
    return new Uint8Array(await crypto.subtle.sign(algorithm, this.handle, data.slice()))
  }
}
