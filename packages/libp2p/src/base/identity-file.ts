import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, mkdir, open, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { InputError, messageOf, type PeerName } from '@murmuration/core'
import { createIdentity, decodeIdentity, encodeIdentity, type Identity } from './identity.js'

/** Key files have about 130 bytes; a longer file is not a key file. */
const longest = 4096

/**
 * Reads a key file. Throws an InputError when it is missing, holds no private key, or, as with ssh, can be read by
 * other users.
 */
export async function readIdentity(path: string): Promise<Identity> {
  const identity = await readIfPresent(path)
  if (identity === undefined) throw new InputError(`the key file ${path} does not exist`)
  return identity
}

/**
 * Writes a key file that only its owner can read. It is created atomically and never overwritten: throws an InputError
 * when the file exists.
 */
export async function writeIdentity(path: string, identity: Identity): Promise<void> {
  if (!(await writeIfAbsent(path, identity))) {
    throw new InputError(`the key file ${path} exists and is not overwritten; move it, or choose another path`)
  }
}

/**
 * The identity of peer `name`, from the file `<name>.key` in `directory`. File and directory are created when absent.
 * When two processes do so at once, both get the same identity.
 */
export async function localIdentity(directory: string, name: PeerName): Promise<Identity> {
  const path = join(directory, `${name}.key`)
  const existing = await readIfPresent(path)
  if (existing !== undefined) return existing
  const created = await createIdentity()
  return (await writeIfAbsent(path, created)) ? created : readIdentity(path)
}

async function readIfPresent(path: string): Promise<Identity | undefined> {
  try {
    // Opening a named pipe would wait for its writer.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const status = await file.stat()
      const { mode, size } = status
      if (!status.isFile()) throw new InputError(`${path} is a folder, a named pipe or a device, expected a key file`)
      checkMode(path, mode)
      if (size > longest) throw new InputError(`${path} has ${size} bytes, expected a key file of at most ${longest}`)
      return decodeIdentity(await file.readFile('utf8'), path)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    if (error instanceof InputError) throw error
    throw new InputError(`the key file ${path} cannot be read: ${messageOf(error)}`)
  }
}

function checkMode(path: string, mode: number): void {
  const open = mode & 0o077
  if (open === 0 || process.platform === 'win32') return
  if (isCredential(path) && (mode & 0o037) === 0) return
  const found = (mode & 0o777).toString(8).padStart(4, '0')
  throw new InputError(`other users can read the private key in ${path} (mode ${found}); run: chmod 600 ${path}`)
}

/**
 * Whether the file is a systemd credential. Since version 254 systemd grants access to one service by an ACL; its mask
 * shows as the group's mode.
 */
function isCredential(path: string): boolean {
  const folder = process.env.CREDENTIALS_DIRECTORY
  return folder !== undefined && dirname(resolve(path)) === resolve(folder)
}

/**
 * Writes a temporary file, then links it: of two racing processes one wins, and no process sees half a file. Returns
 * whether this process won.
 */
async function writeIfAbsent(path: string, identity: Identity): Promise<boolean> {
  const draft = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(encodeIdentity(identity))
      await file.sync()
    } finally {
      await file.close()
    }
    await link(draft, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw new InputError(`the key file ${path} cannot be written: ${messageOf(error)}`)
  } finally {
    // Without a folder there is no draft to remove, and the error above is already thrown.
    await rm(draft, { force: true }).catch(() => {})
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
