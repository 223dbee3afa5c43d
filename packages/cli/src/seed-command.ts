import { InputError, peerName } from '@murmuration/core'
import { identityDirectory } from '@murmuration/experiment/peers'
import { localIdentity, openSeed, readIdentity } from '@murmuration/libp2p'

/** The options of `murmur seed`. */
export interface SeedFlags {
  readonly listen: readonly string[]
  readonly key?: string
  readonly relay?: boolean
  readonly json?: boolean
}

/** Introduces peers to each other until it is stopped. */
export async function runSeed(
  { listen, key, relay = false, json }: SeedFlags,
  print: (text: string) => void,
  signal: AbortSignal
): Promise<void> {
  const identity =
    key === undefined ? await localIdentity(identityDirectory(), peerName('seed')) : await readIdentity(key)
  const seed = await openSeed({ identity, listen, ...(relay && { relay: {} }) })
  try {
    if (json) print(JSON.stringify({ kind: 'seed', id: identity.id, addresses: seed.addresses, relay }))
    else print(seedText(seed.addresses, relay))
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  } finally {
    await seed.close()
  }
}

function seedText(addresses: readonly string[], isRelay: boolean): string {
  if (addresses.length === 0)
    throw new InputError('the seed has no address to listen at; give --listen an address of this machine')
  return [
    'introduces peers to each other until Ctrl-C. On their machines, with the address at which they reach this one:',
    ...addresses.map((address) => `  murmur peer TOPOLOGY --as NAME --seed ${address}`),
    ...(isRelay ? ['The seed is a relay too: add --via on a machine to which no peer can connect.'] : [])
  ].join('\n')
}
