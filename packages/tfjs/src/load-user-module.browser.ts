import { InputError } from '@murmuration/core'
import type { UserModule } from './user-module.js'

/** Rejects with an InputError: a page runs no code but its own. */
export async function loadUserModule(path: string): Promise<UserModule> {
  throw new InputError(`${path}: a page runs no modules of others; join with "murmur join", or choose another model`)
}
