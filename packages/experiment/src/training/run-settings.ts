import { type Settings, settingsOf } from '@murmuration/libp2p/settings'
import type { TopologyFile } from '@murmuration/files'
import { localWeights } from './training-file.js'
import type { Training } from './training-schema.js'

/**
 * What of a training file may differ from machine to machine, and why. Everything else that the file can hold is compared when peers
 * connect, a setting that is new among it.
 */
export const machineLocal: ReadonlyMap<string, string> = new Map([
  ['data.path', 'where the data lie'],
  ['test.path', 'where the test set in common lies; its checksums must agree'],
  ['task.module', 'where the module lies; its checksum must agree'],
  ['algorithm.module', 'where the module lies; its checksum must agree'],
  ['codec', 'each direction of each link has its own, which its two ends agree on']
])

/** What stands for a setting that may differ. Of local data nothing need agree but the test set. */
const hidden = "each machine's own"

/** Every setting that all peers of a run must share: the training file with its defaults and overrides, and who exchanges with whom. */
export function runSettings({ graph, weights, peers, servers }: TopologyFile, training: Training): Settings {
  // In the order of the file, by which peers have their places in the graph.
  const names = peers.map(({ name }) => name)
  const served = servers.length === 0 ? {} : { servers: servers.map(({ name }) => name) }
  const data = localWeights(training) === undefined ? training.data : hidden
  const all = settingsOf({ ...training, data, topology: { graph, weights, peers: names, ...served } })
  const hide = ([name, value]: readonly [string, string]) => {
    const whole = name.replace(/\[\d+\]$/, '')
    return machineLocal.has(whole) ? [whole, hidden] : [name, value]
  }
  return Object.fromEntries(Object.entries(all).map(hide))
}
