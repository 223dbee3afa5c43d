import type { Seed, SeedOptions } from './seed-options.js'

/** Starts a seed. Rejects with an InputError when it cannot listen. The first call loads libp2p. */
export async function openSeed(options: SeedOptions): Promise<Seed> {
  const { startSeed } = await import('./seed.js')
  return startSeed(options)
}
