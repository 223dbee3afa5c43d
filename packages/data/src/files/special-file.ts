import { InputError } from '@murmuration/core'
import { stateOf } from '#data/files/disk.js'

/**
 * Refuses a path that leads to a named pipe, a socket or a device: reading it might never end. Whatever else is wrong
 * with a path, reading it tells.
 *
 * @throws InputError
 */
export async function refuseSpecialFile(path: string): Promise<void> {
  const state = await stateOf(path).catch(() => undefined)
  if (state?.kind !== 'special') return
  throw new InputError(`${path}: found a named pipe, a socket or a device, expected a file`)
}
