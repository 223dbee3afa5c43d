import type { PrivateKey } from '@libp2p/interface'
import { InputError, messageOf } from '@murmuration/core'
import {
  fromString,
  generateKeyPair,
  peerIdFromPrivateKey,
  peerIdFromString,
  privateKeyFromProtobuf,
  privateKeyToProtobuf,
  textOf
} from '#platform/libraries/base.js'

/**
 * The identity of a peer on the network: a private key, and the peer id derived from it. Printing it shows only the id.
 */
export class Identity {
  /** The libp2p peer id as text, such as `12D3KooW…`. */
  readonly id: string
  readonly #privateKey: PrivateKey

  /**
   * @param isExtractable - whether code that runs here could read the private key. Only a browser has keys that none
   * can read.
   */
  constructor(
    privateKey: PrivateKey,
    readonly isExtractable = true
  ) {
    this.#privateKey = privateKey
    this.id = peerIdFromPrivateKey(privateKey).toString()
  }

  /** The secret. Not an own property, so that logs, JSON and copies do not include it. */
  get privateKey(): PrivateKey {
    return this.#privateKey
  }

  toJSON(): { readonly id: string } {
    return { id: this.id }
  }

  /** What Node prints. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Identity(${this.id})`
  }
}

/** A new identity with an Ed25519 key from the system's source of randomness. */
export async function createIdentity(): Promise<Identity> {
  return new Identity(await generateKeyPair('Ed25519'))
}

/** The text of a key file: a comment, then libp2p's protobuf encoding of the private key in base64. */
export function encodeIdentity(identity: Identity): string {
  const secret = textOf(privateKeyToProtobuf(identity.privateKey), 'base64pad')
  return `# The private key of ${identity.id}. Anyone who has it can impersonate this peer.\n${secret}\n`
}

/** Reads the text of a key file. Throws an InputError that names `where` when it holds no private key. */
export function decodeIdentity(text: string, where: string): Identity {
  const lines = text.split('\n').map((line) => line.trim())
  const secrets = lines.filter((line) => line !== '' && !line.startsWith('#'))
  try {
    if (secrets.length !== 1) throw new Error(`${secrets.length} lines besides comments, expected 1`)
    return new Identity(privateKeyFromProtobuf(fromString(secrets[0], 'base64pad')))
  } catch (error) {
    throw new InputError(
      `${where} contains no private key (${messageOf(error)}); expected one line of base64. Restore the file, or remove it to create a new identity`
    )
  }
}

/** Checks a peer id and returns it in its usual form. Throws an InputError for anything else. */
export function parsePeerId(text: string): string {
  try {
    return peerIdFromString(text).toString()
  } catch (error) {
    throw new InputError(
      `"${text}" is not a peer id (${messageOf(error)}); expected one such as 12D3KooW…, as "murmur identity" prints it`
    )
  }
}
