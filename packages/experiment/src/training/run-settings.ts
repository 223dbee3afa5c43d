import { type Settings, settingsOf } from '@murmuration/libp2p/settings'
import type { TopologyFile } from '@murmuration/files'
import { hashText } from '@murmuration/vectors'
import { givenOptions } from './algorithm-choice.js'
import { localWeights, type Training } from './training-schema.js'

/**
 * The settings of a training file that may differ between machines, and why. All others are compared when peers
 * connect, including any new setting.
 */
export const machineLocal: ReadonlyMap<string, string> = new Map([
  ['data.path', 'where the data are'],
  ['test.path', 'where the shared test set is; its checksums must agree'],
  ['task.module', 'where the module is; its checksum must agree'],
  ['algorithm.module', 'where the module is; its checksum must agree'],
  ['backend', 'each machine has its own hardware; results differ by rounding'],
  ['codec', 'each direction of each link has its own, which its two ends agree on']
])

/** Replaces a setting that may differ. Peers with local data must agree only on the test set. */
const hidden = "each machine's own"

/**
 * Every setting that all peers of a run must share: the training file with defaults and overrides, and the topology. Of
 * its links only what follows from them.
 *
 * @param options - the algorithm's, with what follows from the graph and the links; for each stage, if there are some
 */
export function runSettings(
  { graph, weights, peers, servers, pipeline }: TopologyFile,
  training: Training,
  options: readonly Readonly<Record<string, unknown>>[] = []
): Settings {
  // In the order of the file, which is their order in the graph.
  const names = peers.map(({ name }) => name)
  const served = servers.length === 0 ? {} : { servers: servers.map(({ name }) => name) }
  const lines = pipeline === undefined ? {} : { lines: pipeline.lines.map((line) => line.join(' ')) }
  const { data: given } = training
  const scale = typeof given === 'object' && 'path' in given ? given.scale : undefined
  const data = localWeights(training) === undefined ? given : { path: hidden, ...(scale && { scale }) }
  const all = settingsOf({
    ...training,
    data,
    topology: { graph, weights, peers: names, ...served, ...lines, ...linksText(options, training) }
  })
  const hide = ([name, value]: readonly [string, string]) => {
    const whole = name.replace(/\[\d+\]$/, '')
    return machineLocal.has(whole) ? [whole, hidden] : [name, value]
  }
  return Object.fromEntries(Object.entries(all).map(hide))
}

/**
 * What follows from the links, in few words: peers whose files have other links may not train together, and are told
 * which option differs, not by which of thousands of numbers.
 */
function linksText(options: readonly Readonly<Record<string, unknown>>[], { algorithm }: Training): object {
  const given = givenOptions(algorithm)
  const isFound = (name: string) => (of: Readonly<Record<string, unknown>>) =>
    typeof of[name] === 'object' && JSON.stringify(of[name]) !== JSON.stringify(given[name])
  const names = Object.keys(options[0] ?? {}).filter((name) => options.some(isFound(name)))
  const texts = names.map((name) => {
    const each = options.map(({ [name]: value }) => linkText(value))
    return [name, each.length === 1 ? each[0] : each]
  })
  return texts.length === 0 ? {} : { links: Object.fromEntries(texts) as object }
}

function linkText(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  return `by links with the fingerprint ${hashText(JSON.stringify(value) ?? '').slice(0, 8)}`
}
