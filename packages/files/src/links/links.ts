import type { AccessLink, Links, PathLink, PeerName } from '@murmuration/core'
import { pairKey } from './link-problems.js'
import type { LinksDescription, PeerLink } from './links-schema.js'
import { createPipes } from './pipes.js'
import { presets } from './presets.js'
import { type RegionPair, regionPair, regionsOf } from './wan.js'

const unlimited = Number.POSITIVE_INFINITY

/**
 * The links of a valid description. A value of a path comes from the pair; else it is the larger (for windows, the
 * smaller) of the two peers' values; else from the default; else from the preset; else it is 0 (window and bandwidth:
 * Infinity). Except for pipes, paths are the same in both directions.
 *
 * @param peers - all, in the order of the file; the preset 'wan' assigns regions in this order
 */
export function createLinks(description: LinksDescription, peers: readonly PeerName[]): Links {
  const { default: all = {}, preset } = description
  const everywhere: PeerLink = preset === undefined ? all : withPreset(all, preset)
  const isUniform = [description.peers, description.pairs, description.pipes].every((part) => part === undefined)
  // The same for all pairs, so computed once: simulations ask for every message.
  if (isUniform && preset !== 'wan') return uniform(everywhere)
  const ofPeer = new Map(Object.entries(description.peers ?? {}))
  const between = regionPairs(description, peers)
  const ofPair = new Map((description.pairs ?? []).map((pair) => [pairKey(...pair.between), pair]))
  const pipes = createPipes(description.pipes ?? [])
  return {
    access: (peer) => accessOf([ofPeer.get(peer), everywhere]),
    path: (from, to) => {
      const pair = ofPair.get(pairKey(from, to))
      const ends = [ofPeer.get(from) ?? {}, ofPeer.get(to) ?? {}]
      const measured = between(from, to)
      // The file's default has precedence over what was measured between regions.
      const rest = measured === undefined ? everywhere : { ...everywhere, latency: all.latency ?? measured.ping / 2 }
      return {
        ...pathOf([pair, strictest(ends), rest]),
        bandwidth: pair?.bandwidth ?? measured?.bandwidth ?? unlimited,
        pipes: pipes(from, to)
      }
    }
  }
}

/** `bandwidth` in a file replaces a preset's `up` and `down`. */
function withPreset(all: PeerLink, preset: keyof typeof presets): PeerLink {
  const { up, down, ...path } = presets[preset]
  return { ...path, ...all, up: all.up ?? all.bandwidth ?? up, down: all.down ?? all.bandwidth ?? down }
}

function uniform(everywhere: PeerLink): Links {
  const access = accessOf([everywhere])
  const path = { ...pathOf([everywhere]), bandwidth: unlimited, pipes: [] }
  return { access: () => access, path: () => path }
}

/** For each direction, the first link that sets it counts. */
function accessOf(links: readonly (PeerLink | undefined)[]): AccessLink {
  const line = (direction: 'up' | 'down') => {
    const first = links.find((link) => (link?.[direction] ?? link?.bandwidth) !== undefined)
    return first?.[direction] ?? first?.bandwidth ?? unlimited
  }
  return { up: line('up'), down: line('down') }
}

type OfPath = Pick<PeerLink, 'latency' | 'jitter' | 'loss' | 'window'>

/** For each value, the first link that sets it counts. */
function pathOf(links: readonly (OfPath | undefined)[]): Omit<PathLink, 'bandwidth' | 'pipes'> {
  const value = (field: keyof OfPath) => links.find((link) => link?.[field] !== undefined)?.[field]
  return {
    latency: value('latency') ?? 0,
    jitter: value('jitter') ?? 0,
    loss: value('loss') ?? 0,
    window: value('window') ?? unlimited
  }
}

function strictest(ends: readonly OfPath[]): OfPath {
  const chosen = (field: keyof OfPath, choose: (...values: number[]) => number) => {
    const values = ends.flatMap((end) => end[field] ?? [])
    return values.length > 0 ? choose(...values) : undefined
  }
  return {
    latency: chosen('latency', Math.max),
    jitter: chosen('jitter', Math.max),
    loss: chosen('loss', Math.max),
    window: chosen('window', Math.min)
  }
}

function regionPairs(
  { preset, regions }: LinksDescription,
  peers: readonly PeerName[]
): (from: PeerName, to: PeerName) => RegionPair | undefined {
  if (preset !== 'wan') return () => undefined
  const regionOf = regionsOf(peers, regions)
  return (from, to) => regionPair(regionOf(from), regionOf(to))
}
