import { stat } from 'node:fs/promises'
import { InputError } from '@murmuration/core'

/**
 * Refuses a path that leads to a named pipe, a socket or a device: reading it might never end. Whatever else is wrong
 * with a path, reading it tells.
 *
 * @throws InputError
 */
export async function refuseSpecialFile(path: string): Promise<void> {
  const status = await stat(path).catch(() => undefined)
  if (status === undefined || status.isFile() || status.isDirectory()) return
  throw new InputError(`${path}: found a named pipe, a socket or a device, expected a file`)
}
