import type { Entered, EnterOptions, NewsBearer } from './enter-options.js'

/**
 * Presents an invitation to peers of its run until one admits this peer. Rejects with a RefusedError, with the reason,
 * when one refuses, and with a NeighboursMissingError when none is found in time.
 */
export async function enterRun(options: EnterOptions): Promise<Entered> {
  const { enter } = await import('./enter.js')
  return enter(options)
}

/**
 * The files of the run that an invitation is for, from a peer of it, without using the invitation. Rejects as
 * {@link enterRun} does.
 */
export async function showRun(options: EnterOptions): Promise<string> {
  const { show } = await import('./enter.js')
  return show(options)
}

/** Sends a revocation to peers of a run, which pass it on. Resolves with the number of peers that have answered. */
export async function tellRun(options: NewsBearer): Promise<number> {
  const { tell } = await import('./enter.js')
  return tell(options)
}
