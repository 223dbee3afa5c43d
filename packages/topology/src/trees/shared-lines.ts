import { InputError, type Links, pathCap, type PeerName } from '@murmuration/core'

/** The lines between peers, as rates that are shared by all that passes through them. */
export interface SharedLines {
  readonly peers: readonly PeerName[]
  /** Bits per second, above 0. Lines without a limit are left out. */
  readonly rates: readonly number[]
  /** For people. */
  readonly names: readonly string[]
  /** The lines from one peer to another; undefined where nothing can be sent. */
  readonly uses: readonly (readonly (readonly number[] | undefined)[])[]
}

/**
 * The lines of `links`: each peer's access line up and down, the pipes, and what limits a pair alone, which is left out
 * where an access line or a pipe of the pair has at most the same rate.
 */
export function linesOf(peers: readonly PeerName[], links: Links): SharedLines {
  const numbers = new Map<string, number>()
  const rates: number[] = []
  const numberOf = (name: string, rate: number) => {
    const number = numbers.get(name) ?? rates.length
    if (number === rates.length) {
      numbers.set(name, number)
      rates.push(rate)
    }
    return number
  }
  const usesOf = (from: PeerName, to: PeerName) => {
    const path = links.path(from, to)
    const shared = [
      { name: `${from} up`, rate: links.access(from).up },
      ...path.pipes.map(({ name, bandwidth }) => ({ name: `pipe ${name}`, rate: bandwidth })),
      { name: `${to} down`, rate: links.access(to).down }
    ]
    const alone = 8000 * pathCap(path, links.path(to, from))
    const isAlone = shared.every(({ rate }) => rate > alone)
    const all = isAlone ? [...shared, { name: `${from} → ${to}`, rate: alone }] : shared
    if (all.some(({ rate }) => !(rate > 0))) return undefined
    return all.filter(({ rate }) => rate < Infinity).map(({ name, rate }) => numberOf(name, rate))
  }
  const uses = peers.map((from) => peers.map((to) => (from === to ? [] : usesOf(from, to))))
  return { peers, rates, names: [...numbers.keys()], uses }
}

/** Throws an InputError unless there is a way from each of `sources` to all peers. */
export function checkWays({ peers, uses }: SharedLines, sources: readonly number[]): void {
  for (const source of sources) {
    const reached = [source]
    for (const from of reached) {
      for (const to of peers.keys()) if (uses[from][to] !== undefined && !reached.includes(to)) reached.push(to)
    }
    const lost = peers.find((_, peer) => !reached.includes(peer))
    if (lost === undefined) continue
    throw new InputError(
      `links: found no way from "${peers[source]}" to "${lost}", not even through others, because a line on each way ` +
        `carries 0 bit/s; expected one; give these lines a bandwidth above 0`
    )
  }
}
