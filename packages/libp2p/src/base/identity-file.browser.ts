/** See identity-file.ts: a page keeps identities in the browser's database, under the same paths. */
import { InputError, messageOf, type PeerName } from '@murmuration/core'
import { createIdentity, decodeIdentity, encodeIdentity, Identity } from './identity.js'
import { KeptKey } from './kept-key.browser.js'

const database = 'murmuration'
const store = 'identities'

/** What is stored: the text of a key file, or a key that the browser keeps. */
type Stored = string | { readonly handle: CryptoKey; readonly publicKey: Uint8Array }

/** Reads an identity. Throws an InputError when there is none. */
export async function readIdentity(path: string): Promise<Identity> {
  const identity = await readIfPresent(path)
  if (identity === undefined) throw new InputError(`this browser has no key "${path}"`)
  return identity
}

/** Keeps an identity. Throws an InputError when there is one under this path. */
export async function writeIdentity(path: string, identity: Identity): Promise<void> {
  if (!(await writeIfAbsent(path, identity)))
    throw new InputError(`this browser has a key "${path}", which is not overwritten; choose another path`)
}

/**
 * The identity of peer `name` under `directory`, which is created when absent: the same in all tabs, and after a
 * reload. Its key is not extractable where the browser has and stores such keys.
 */
export async function localIdentity(directory: string, name: PeerName): Promise<Identity> {
  const path = `${directory}/${name}.key`
  const existing = await readIfPresent(path)
  if (existing !== undefined) return existing
  const key = await KeptKey.create()
  const kept = key && new Identity(key, false)
  if (kept !== undefined && (await writeIfAbsent(path, kept).catch(() => false))) return kept
  const created = await createIdentity()
  return (await writeIfAbsent(path, created)) ? created : readIdentity(path)
}

async function readIfPresent(path: string): Promise<Identity | undefined> {
  const stored = await within<Stored | undefined>('readonly', (identities) => identities.get(path))
  if (stored === undefined) return undefined
  if (typeof stored === 'string') return decodeIdentity(stored, `the key "${path}" of this browser`)
  return new Identity(new KeptKey(stored.handle, stored.publicKey), false)
}

/** Returns false when there is one. */
async function writeIfAbsent(path: string, identity: Identity): Promise<boolean> {
  try {
    await within('readwrite', (identities) => identities.add(storedForm(identity), path))
    return true
  } catch (error) {
    if (error instanceof DOMException && error.name === 'ConstraintError') return false
    throw new InputError(`this browser cannot store the key "${path}": ${messageOf(error)}`)
  }
}

function storedForm(identity: Identity): Stored {
  const { privateKey } = identity
  if (!(privateKey instanceof KeptKey)) return encodeIdentity(identity)
  return { handle: privateKey.handle, publicKey: privateKey.publicKey.raw }
}

/** Does one thing with the store, and resolves once it is written. */
async function within<Value>(
  mode: IDBTransactionMode,
  act: (identities: IDBObjectStore) => IDBRequest<Value>
): Promise<Value> {
  const opening = indexedDB.open(database, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(store)
  const opened = await resultOf(opening)
  try {
    const transaction = opened.transaction(store, mode)
    const ended = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error)
    })
    const [value] = await Promise.all([resultOf(act(transaction.objectStore(store))), ended])
    return value
  } finally {
    opened.close()
  }
}

function resultOf<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
