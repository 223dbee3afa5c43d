import type { VerifyingKey } from '#platform/base/keys.js'
import type { PeerName } from '@murmuration/core'
import { hashText } from '@murmuration/vectors'
import { isSignatureOf, publicKeyOf, type SignText, textSigner } from './ed25519.js'
import type { Identity } from './identity.js'
import type { RunSettings } from './run-settings.js'

/** Signs statements of this peer about itself, and checks those of other peers, which any peer may have passed on. */
export interface Signer {
  /**
   * The signature of a text by this peer's identity, in base64url; later if a browser keeps the key. Throws an
   * InputError when the identity has no Ed25519 key.
   */
  sign(text: string): string | Promise<string>
  /** Whether `signature` is that of `text` by the identity of `peer` in the peer list. Only Ed25519 keys can sign. */
  verify(peer: PeerName, text: string, signature: string): boolean
  /** Whether the id of a peer is known; without it no signature can be checked. */
  knows(peer: PeerName): boolean
}

/**
 * Signs with the keys of peer ids. The signed text begins with the purpose and a hash of the run's settings, so that a
 * signature is not valid for any other purpose, or in a run with other settings.
 */
export class IdentitySigner implements Signer {
  readonly #identity: Identity
  readonly #idOf: (peer: PeerName) => string | undefined
  readonly #context: string
  #sign: SignText | undefined
  readonly #pending = new Set<Promise<string>>()
  /** By peer id; null for one without an Ed25519 key. */
  readonly #publicKeys = new Map<string, VerifyingKey | null>()

  /** @param idOf - gives the id of a peer in the peer list */
  constructor(identity: Identity, runSettings: RunSettings, idOf: (peer: PeerName) => string | undefined) {
    this.#identity = identity
    this.#idOf = idOf
    const { settings, schema, start } = runSettings
    const sorted = Object.entries(settings).sort(([left], [right]) => (left < right ? -1 : 1))
    // Peers of different stages know the start of different tensors.
    const ofAll = start.includes(',') ? '' : start
    this.#context = `murmuration note 1 ${hashText(JSON.stringify([sorted, schema, ofAll]))} `
  }

  sign(text: string): string | Promise<string> {
    this.#sign ??= textSigner(this.#identity)
    const signature = this.#sign(this.#context + text)
    if (typeof signature !== 'string') this.#watch(signature)
    return signature
  }

  /** Resolves once all that was asked for is signed. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#pending)
  }

  #watch(signature: Promise<string>): void {
    this.#pending.add(signature)
    void signature.finally(() => this.#pending.delete(signature))
  }

  verify(peer: PeerName, text: string, signature: string): boolean {
    const id = this.#idOf(peer)
    return id !== undefined && isSignatureOf(this.#context + text, signature, this.#publicKeyOf(id))
  }

  knows(peer: PeerName): boolean {
    return this.#idOf(peer) !== undefined
  }

  #publicKeyOf(id: string): VerifyingKey | null {
    const cached = this.#publicKeys.get(id)
    if (cached !== undefined) return cached
    const key = publicKeyOf(id)
    this.#publicKeys.set(id, key)
    return key
  }
}
