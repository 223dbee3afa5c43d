/** The maximum number of files per peer. */
export const maxFiles = 8

/**
 * Decides which checkpoints are kept: the newest two (in case one is damaged), and all from the newest round on that
 * every peer is known to have saved, since a slower peer, or one that was killed, has no newer one. If these are too
 * many, only the newest are kept, and that round.
 *
 * @param rounds - of all files
 * @param others - the newest round that each other peer is known to have saved
 */
export function roundsToKeep(rounds: readonly number[], others: Iterable<number>): ReadonlySet<number> {
  const newestFirst = [...rounds].sort((left, right) => right - left)
  const slowest = Math.min(...others)
  const common = newestFirst.find((round) => round <= slowest)
  const needed = newestFirst.filter((round, index) => index < 2 || common === undefined || round >= common)
  const last = needed.at(-1)
  if (needed.length <= maxFiles || last === undefined) return new Set(needed)
  return new Set([...needed.slice(0, maxFiles - 1), common ?? last])
}

/** The newest round that all have; undefined if there is none. */
export function newestCommon(all: Iterable<readonly number[]>): number | undefined {
  const [first = [], ...others] = all
  return [...first]
    .sort((left, right) => right - left)
    .find((round) => others.every((rounds) => rounds.includes(round)))
}
