import type { Milliseconds, PeerName } from '@murmuration/core'

/** Cloud regions, in the order in which peers are placed in them. */
export const regionNames = [
  'Oregon',
  'Virginia',
  'Ohio',
  'Tokyo',
  'Seoul',
  'Singapore',
  'Sydney',
  'London',
  'Frankfurt',
  'Ireland'
] as const

export type Region = (typeof regionNames)[number]

/** What was measured between two regions. */
export interface RegionPair {
  /** The round-trip time. */
  readonly ping: Milliseconds
  /** The bandwidth of one flow, in bits per second. */
  readonly bandwidth: number
}

/**
 * Two regions, the ping between them in ms, and the bandwidth of one flow in Gbit/s. Measured between machines of a
 * cloud provider by the project DT-FM: the matrices in scheduler/generate_sim_com_matrices.py of
 * github.com/DS3Lab/DT-FM.
 */
const measured: readonly (readonly [a: Region, b: Region, ping: number, gigabits: number])[] = [
  ['Oregon', 'Virginia', 67, 0.79],
  ['Oregon', 'Ohio', 49, 1.1],
  ['Oregon', 'Tokyo', 96, 0.523],
  ['Oregon', 'Seoul', 124, 0.46],
  ['Oregon', 'Singapore', 163, 0.341],
  ['Oregon', 'Sydney', 139, 0.36],
  ['Oregon', 'London', 136, 0.42],
  ['Oregon', 'Frankfurt', 143, 0.404],
  ['Oregon', 'Ireland', 124, 0.482],
  ['Virginia', 'Ohio', 11, 1.12],
  ['Virginia', 'Tokyo', 143, 0.524],
  ['Virginia', 'Seoul', 172, 0.5],
  ['Virginia', 'Singapore', 230, 0.364],
  ['Virginia', 'Sydney', 197, 0.383],
  ['Virginia', 'London', 76, 1.16],
  ['Virginia', 'Frankfurt', 90, 1.02],
  ['Virginia', 'Ireland', 67, 1.05],
  ['Ohio', 'Tokyo', 130, 0.694],
  ['Ohio', 'Seoul', 159, 0.529],
  ['Ohio', 'Singapore', 197, 0.452],
  ['Ohio', 'Sydney', 185, 0.484],
  ['Ohio', 'London', 86, 1.05],
  ['Ohio', 'Frankfurt', 99, 0.799],
  ['Ohio', 'Ireland', 77, 1.14],
  ['Tokyo', 'Seoul', 34, 1.1],
  ['Tokyo', 'Singapore', 73, 1.01],
  ['Tokyo', 'Sydney', 100, 0.761],
  ['Tokyo', 'London', 210, 0.366],
  ['Tokyo', 'Frankfurt', 223, 0.36],
  ['Tokyo', 'Ireland', 199, 0.465],
  ['Seoul', 'Singapore', 74, 1.14],
  ['Seoul', 'Sydney', 148, 0.58],
  ['Seoul', 'London', 238, 0.342],
  ['Seoul', 'Frankfurt', 235, 0.358],
  ['Seoul', 'Ireland', 228, 0.335],
  ['Singapore', 'Sydney', 92, 0.816],
  ['Singapore', 'London', 169, 0.5],
  ['Singapore', 'Frankfurt', 155, 0.535],
  ['Singapore', 'Ireland', 179, 0.492],
  ['Sydney', 'London', 262, 0.326],
  ['Sydney', 'Frankfurt', 265, 0.328],
  ['Sydney', 'Ireland', 254, 0.344],
  ['London', 'Frankfurt', 14, 1.14],
  ['London', 'Ireland', 12, 1.09],
  ['Frankfurt', 'Ireland', 24, 1.08]
]

const pairs = new Map(
  measured.flatMap(([a, b, ping, gigabits]) => {
    const pair: RegionPair = { ping, bandwidth: gigabits * 1e9 }
    return [`${a} ${b}`, `${b} ${a}`].map((key) => [key, pair] as const)
  })
)

/** What was measured between two regions; undefined within one. */
export function regionPair(a: Region, b: Region): RegionPair | undefined {
  return pairs.get(`${a} ${b}`)
}

/**
 * The region of each peer: as given, else by the peer's index, round-robin. A peer that is not in the list is in the
 * first peer's region.
 */
export function regionsOf(
  peers: readonly PeerName[],
  fixed: Readonly<Record<string, Region>> = {}
): (peer: PeerName) => Region {
  const indices = new Map(peers.map((peer, index) => [peer, index]))
  const regionAt = (index: number) => fixed[peers[index]] ?? regionNames[index % regionNames.length]
  return (peer) => fixed[peer] ?? (peers.length > 0 ? regionAt(indices.get(peer) ?? 0) : regionNames[0])
}
