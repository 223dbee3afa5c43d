import type { PeerName } from '@murmuration/core'
import { linksFilesAt, readText } from '#files/text-file.js'
import { parseYamlFile } from '../yaml-file.js'
import { linkProblems, pairKey } from './link-problems.js'
import { type LinksDescription, linksSchema, type PeerLink } from './links-schema.js'

type PairLink = NonNullable<LinksDescription['pairs']>[number]

/**
 * Reads links files, and the `.yaml` files in folders, as one description: each file holds the links that one peer has
 * measured. Where two files describe the same line, the faster rate and the shorter latency count: a measurement can
 * only be slower than the link.
 *
 * @param known - all names that the files may refer to
 * @throws InputError for a file that is wrong, a folder without links files, and a field that only one file may have
 * (such as `default`) in two
 */
export async function readLinksFiles(paths: readonly string[], known: readonly PeerName[]): Promise<LinksDescription> {
  let all: LinksDescription = {}
  const filesByKey = new Map<string, string>()
  for (const path of (await Promise.all(paths.map(linksFilesAt))).flat()) {
    const file = parseYamlFile(await readText(path), path, linksSchema)
    const problems = linkProblems(file.value, known)
    for (const key of Object.keys(file.value).filter((each) => each !== 'peers' && each !== 'pairs')) {
      const other = filesByKey.get(key)
      if (other !== undefined)
        problems.push({
          path: [key],
          at: 'key',
          message: `found "${key}", which ${other} also has, expected it in one file`
        })
      filesByKey.set(key, path)
    }
    if (problems.length > 0) throw file.errorOf(problems)
    all = mergeLinks(all, file.value)
  }
  return all
}

/** The fields of `links`; those that it does not set are taken from `rest`. */
export function linksBefore(links: LinksDescription, rest: LinksDescription): LinksDescription {
  const { peers = {}, pairs = [] } = rest
  const merged = Object.entries({ ...peers, ...links.peers }).map(([name]) => [
    name,
    { ...peers[name], ...links.peers?.[name] }
  ])
  const ownPairs = new Set((links.pairs ?? []).map(({ between }) => pairKey(...between)))
  const others = pairs.filter(({ between }) => !ownPairs.has(pairKey(...between)))
  return {
    ...rest,
    ...links,
    ...(merged.length > 0 && { peers: Object.fromEntries(merged) as LinksDescription['peers'] }),
    ...(ownPairs.size + others.length > 0 && { pairs: [...(links.pairs ?? []), ...others] })
  }
}

/** Merges two descriptions by the rules of {@link readLinksFiles}. */
export function mergeLinks(first: LinksDescription, second: LinksDescription): LinksDescription {
  const peers = { ...first.peers }
  for (const [name, link] of Object.entries(second.peers ?? {})) peers[name] = faster(peers[name] ?? {}, link)
  const pairs = new Map((first.pairs ?? []).map((pair) => [pairKey(...pair.between), pair]))
  for (const pair of second.pairs ?? []) {
    const key = pairKey(...pair.between)
    const other = pairs.get(key)
    pairs.set(key, other === undefined ? pair : faster(other, pair))
  }
  return {
    ...first,
    ...second,
    ...(Object.keys(peers).length > 0 && { peers }),
    ...(pairs.size > 0 && { pairs: [...pairs.values()] })
  }
}

const rates = ['up', 'down', 'bandwidth'] as const

function faster<Link extends PeerLink | PairLink>(first: Link, second: Link): Link {
  const one: PeerLink & Partial<PairLink> = first
  const other: PeerLink & Partial<PairLink> = second
  const merged = { ...second, ...first }
  const best = (field: 'latency' | (typeof rates)[number], choose: (...values: number[]) => number) => {
    const values = [one[field], other[field]].filter((value) => value !== undefined)
    return values.length === 0 ? {} : { [field]: choose(...values) }
  }
  return { ...merged, ...best('latency', Math.min), ...Object.assign({}, ...rates.map((rate) => best(rate, Math.max))) }
}
