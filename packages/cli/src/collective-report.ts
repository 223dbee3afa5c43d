/** What an all-reduce takes on the links of a topology file, as far as that is known before a run. */
import { collectiveOn } from '@murmuration/algorithms'
import { byName, type Links, type Topology } from '@murmuration/core'
import type { TopologyFile } from '@murmuration/files'
import { millisecondsFor, packAllReduce } from '@murmuration/topology'

/** The collectives of a mean over all peers on given links. */
export interface CollectiveFacts {
  /** No all-reduce carries more bits of the vector per second. */
  readonly bound: number
  /** The lines that limit it, the dearest first. */
  readonly limits: readonly string[]
  /** The predicted times in milliseconds by the number of bytes. `auto` may take fewer chunks than the others. */
  readonly milliseconds: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** Sizes of small, middling and large models. */
const usualSizes = [2 ** 12, 2 ** 18, 2 ** 24]

/** Packing trees takes the longer, the more peers there are. */
const maxPeers = 24

/**
 * The facts for these sizes in bytes; undefined where no line has a bandwidth, and for more than 24 peers. Where the
 * model is cut, of the stage with the lowest bound.
 */
export function collectiveFacts(
  { topology, pipeline, links }: Pick<TopologyFile, 'topology' | 'pipeline' | 'links'>,
  sizes: readonly number[] = usualSizes
): CollectiveFacts | undefined {
  const each = (pipeline?.stages ?? [topology]).flatMap((among) => factsAmong(among, links, sizes) ?? [])
  return each.sort((left, right) => left.bound - right.bound)[0]
}

function factsAmong(topology: Topology, links: Links, sizes: readonly number[]): CollectiveFacts | undefined {
  const { length: n } = topology.peers
  if (n === 1 || n > maxPeers) return undefined
  const { bound, limits } = packAllReduce([...topology.peers].sort(byName), links)
  if (bound === Number.POSITIVE_INFINITY) return undefined
  const { candidates = [] } = collectiveOn(topology, links, { collective: 'auto', order: 'links' }).collective ?? {}
  // In the usual number of chunks, which comes first.
  const firsts = candidates.filter(({ name }, index) => candidates.findIndex((each) => each.name === name) === index)
  const timesOf = (bytes: number) => ({
    ...Object.fromEntries(firsts.map(({ name, time }) => [name, millisecondsFor(time, bytes)])),
    auto: Math.min(...candidates.map(({ time }) => millisecondsFor(time, bytes)))
  })
  return {
    bound,
    limits,
    milliseconds: Object.fromEntries(sizes.map((bytes) => [String(bytes), timesOf(bytes)]))
  }
}
