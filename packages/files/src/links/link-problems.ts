import { type PeerName, type Problem, problem, within } from '@murmuration/core'
import type { LinksDescription } from './links-schema.js'
import { unknownPeer } from '../nearest.js'
import { pipeProblems } from './pipes.js'

/**
 * Reports names that no peer has, pairs of a peer with itself, duplicates, invalid pipes, and regions without the
 * preset that uses them. `known` are all names that the links may refer to.
 */
export function linkProblems(links: LinksDescription, known: readonly PeerName[]): Problem[] {
  return [
    ...regionProblems(links, known),
    ...within(['peers'], unknownNames(links.peers, known)),
    ...within(['pairs'], pairProblems(links.pairs ?? [], known)),
    ...within(['pipes'], pipeProblems(links.pipes ?? [], known))
  ]
}

/** One key for both orders. Names hold no spaces. */
export function pairKey(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`
}

function regionProblems({ preset, regions }: LinksDescription, known: readonly PeerName[]): Problem[] {
  if (regions === undefined) return []
  if (preset === 'wan') return within(['regions'], unknownNames(regions, known))
  return [{ path: ['regions'], at: 'key', message: 'found regions, expected them only with preset: wan' }]
}

function unknownNames(byName: Readonly<Record<string, unknown>> = {}, known: readonly PeerName[]): Problem[] {
  const names = new Set<string>(known)
  return Object.keys(byName)
    .filter((name) => !names.has(name))
    .map((name) => ({ path: [name], at: 'key', message: unknownPeer(name, known) }))
}

function pairProblems(pairs: NonNullable<LinksDescription['pairs']>, known: readonly PeerName[]): Problem[] {
  const names = new Set<string>(known)
  const seen = new Set<string>()
  return pairs.flatMap(({ between }, index) => {
    const key = pairKey(...between)
    const isRepeated = seen.has(key)
    seen.add(key)
    const at = [index, 'between']
    const unknown = between.flatMap((name, side) =>
      names.has(name) ? [] : [problem([...at, side], unknownPeer(name, known))]
    )
    if (between[0] === between[1]) return [...unknown, problem(at, 'found one peer twice, expected two peers')]
    return isRepeated
      ? [...unknown, problem(at, `found the pair ${between.join(', ')} again, expected it once`)]
      : unknown
  })
}
