import type { PeerName } from '@murmuration/core'
import { bitRateText, durationText } from '../quantities.js'
import { pairKey } from './link-problems.js'
import type { LinksDescription } from './links-schema.js'

/** Links without gaps, and how the gaps were filled. */
export interface FilledLinks {
  readonly links: LinksDescription
  /** A sentence for each kind of gap. */
  readonly assumed: readonly string[]
}

type Default = NonNullable<LinksDescription['default']>

/**
 * Fills the gaps of links of which some pairs were measured. Without a default or a preset, an unknown value is taken
 * to be as slow as the slowest known one.
 */
export function fillLinks(links: LinksDescription, peers: readonly PeerName[]): FilledLinks {
  if (links.pairs === undefined || links.pairs.length === 0) return { links, assumed: [] }
  const gaps = [latencyGap(links, peers), lineGap('up', links, peers), lineGap('down', links, peers)]
  const filled: Default = Object.assign({}, links.default, ...gaps.map((gap) => gap?.value))
  const assumed = gaps.flatMap((gap) => gap?.assumed ?? [])
  return { links: Object.keys(filled).length === 0 ? links : { ...links, default: filled }, assumed }
}

interface Gap {
  readonly assumed: string
  readonly value?: Default
}

function latencyGap(
  { pairs = [], preset, default: all }: LinksDescription,
  peers: readonly PeerName[]
): Gap | undefined {
  const measured = new Set(pairs.map(({ between }) => pairKey(...between)))
  const open = peers.flatMap((one, index) =>
    peers.slice(index + 1).flatMap((other) => (measured.has(pairKey(one, other)) ? [] : `${one}–${other}`))
  )
  if (open.length === 0) return undefined
  const found = `no measurement between ${shortened(open)} (${open.length} of ${open.length + measured.size} pairs)`
  if (preset !== undefined || all?.latency !== undefined)
    return { assumed: `${found}: the value for all peers applies` }
  const latency = Math.max(...pairs.map((pair) => pair.latency ?? 0))
  return {
    assumed: `${found}: assumed to have the longest measured latency, ${durationText(latency)}`,
    value: { latency }
  }
}

function lineGap(
  line: 'up' | 'down',
  { peers: links = {}, preset, default: all }: LinksDescription,
  peers: readonly PeerName[]
): Gap | undefined {
  const rateOf = (link: Default | undefined) => link?.[line] ?? link?.bandwidth
  const open = peers.filter((peer) => rateOf(links[peer]) === undefined)
  const slowest = Math.min(...Object.values(links).map((link) => rateOf(link) ?? Number.POSITIVE_INFINITY))
  if (open.length === 0 || slowest === Number.POSITIVE_INFINITY) return undefined
  const found = `no measurement of the ${line}link of ${shortened(open)}`
  if (preset !== undefined || rateOf(all) !== undefined) return { assumed: `${found}: the value for all peers applies` }
  return {
    assumed: `${found}: assumed to have the slowest measured rate, ${bitRateText(slowest)}`,
    value: { [line]: slowest }
  }
}

const maxListed = 8

const shortened = (names: readonly string[]) =>
  names.length <= maxListed
    ? names.join(', ')
    : `${names.slice(0, maxListed).join(', ')} and ${names.length - maxListed} more`
