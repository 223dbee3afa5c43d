import type { Links, PeerName } from '@murmuration/core'
import { z } from 'zod'
import { unknownPeer } from './nearest.js'
import { type Problem, problem } from './problems.js'
import { bitRate, duration, share } from './quantities.js'

const path = { latency: duration().optional(), jitter: duration().optional(), loss: share().optional() }
const access = { bandwidth: bitRate().optional(), up: bitRate().optional(), down: bitRate().optional() }
const peerLink = z.strictObject({ ...path, ...access })
const pairLink = z.strictObject({
  between: z.tuple([z.string(), z.string()]),
  ...path,
  bandwidth: bitRate().optional()
})

/** The links of a topology file. */
export const linksSchema = z.strictObject({
  default: peerLink.optional().meta({ description: 'Of every peer and every pair that nothing else is said of.' }),
  peers: z.record(z.string(), peerLink).optional().meta({ description: 'By name of the peer.' }),
  pairs: z.array(pairLink).optional()
})

type LinksDescription = z.output<typeof linksSchema>

/** Names in links that no peer has, pairs of a peer with itself, and pairs that come twice. */
export function linkProblems(links: LinksDescription, peers: readonly PeerName[]): Problem[] {
  const known = new Set<string>(peers)
  const strangers = Object.keys(links.peers ?? {})
    .filter((name) => !known.has(name))
    .map((name): Problem => ({ path: ['peers', name], at: 'key', message: unknownPeer(name, peers) }))
  const seen = new Set<string>()
  const pairs = (links.pairs ?? []).flatMap(({ between }, index) => {
    const key = pairKey(...between)
    const again = seen.has(key)
    seen.add(key)
    const at = ['pairs', index, 'between']
    const unknown = between.flatMap((name, side) =>
      known.has(name) ? [] : [problem([...at, side], unknownPeer(name, peers))]
    )
    if (between[0] === between[1]) return [...unknown, problem(at, 'found one peer twice, expected two peers')]
    return again ? [...unknown, problem(at, `found the pair ${between.join(', ')} again, expected it once`)] : unknown
  })
  return [...strangers, ...pairs]
}

/**
 * The links of a description without problems. A value of a path is what is said of the pair; else the larger of what is
 * said of either peer; else the default; else 0 (bandwidth: Infinity). Paths are the same in both directions.
 */
export function createLinks({ default: all = {}, peers = {}, pairs = [] }: LinksDescription): Links {
  const ofPeer = new Map(Object.entries(peers))
  const ofPair = new Map(pairs.map((pair) => [pairKey(...pair.between), pair]))
  return {
    access(peer) {
      const own = ofPeer.get(peer)
      const line = (direction: 'up' | 'down') =>
        own?.[direction] ?? own?.bandwidth ?? all[direction] ?? all.bandwidth ?? Number.POSITIVE_INFINITY
      return { up: line('up'), down: line('down') }
    },
    path(from, to) {
      const pair = ofPair.get(pairKey(from, to))
      const value = (field: 'latency' | 'jitter' | 'loss') => {
        const own = [from, to].flatMap((peer) => ofPeer.get(peer)?.[field] ?? [])
        return pair?.[field] ?? (own.length > 0 ? Math.max(...own) : (all[field] ?? 0))
      }
      const bandwidth = pair?.bandwidth ?? Number.POSITIVE_INFINITY
      return {
        latency: value('latency'),
        jitter: value('jitter'),
        loss: value('loss'),
        bandwidth,
        window: Number.POSITIVE_INFINITY,
        pipes: []
      }
    }
  }
}

/** Names hold no spaces. */
function pairKey(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`
}
