import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PeerName } from '@murmuration/core'
import { createIdentity, readIdentity, writeIdentity } from '@murmuration/libp2p'
import { identityDirectory } from '@murmuration/experiment/peers'

/** A peer's id and the place of its key. */
export interface IdentityReport {
  readonly kind: 'identity'
  readonly name: string
  readonly id: string
  readonly key: string
  readonly created: boolean
}

/** Reads the key of peer `name`, creating it if there is none, in `key` or in the user's home. */
export async function identityOf(
  name: PeerName,
  key = join(identityDirectory(), `${name}.key`)
): Promise<IdentityReport> {
  const existed = await exists(key)
  if (!existed) await writeIdentity(key, await createIdentity())
  const { id } = await readIdentity(key)
  return { kind: 'identity', name, id, key, created: !existed }
}

/** For people: the id, and the line for the topology file. */
export function identityText({ name, id, key, created }: IdentityReport): string {
  return [
    `${created ? 'created' : 'found'} the key of ${name} in ${key}; it never leaves this machine`,
    '',
    `peer id  ${id}`,
    '',
    'for the topology file:',
    `  - { name: ${name}, id: ${id}, addresses: [/ip4/ADDRESS-OF-THIS-MACHINE/tcp/4001] }`
  ].join('\n')
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false
  )
}
