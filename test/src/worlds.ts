/** The two worlds that an algorithm runs in, behind one interface, so that they can be compared. */
import { complete, type FabricWorld, poisonedFabric, timeLimit, vectorLength } from '@murmuration/contract'
import { deferred, type Fabric, type PeerName, StoppedError, type Topology } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { createIdentity, createPeer, type Peer } from '@murmuration/libp2p'
import { type SimulationResult, simulate, uniformLinks } from '@murmuration/simulator'
import { codedWire, type VectorMessage, vectorWire, weighed } from '@murmuration/wire'

export { complete }

/** The program of a peer. */
export type WorldProgram = (fabric: Fabric<VectorMessage>) => Promise<void>

/** The options of a run, in either world. */
export interface WorldOptions {
  readonly topology: Topology
  readonly seed: number
  /** Elements of the vectors that are sent. */
  readonly length: number
  /** Endpoints beyond the topology's peers; none when absent. They run the same program. */
  readonly servers?: readonly PeerName[] | undefined
  /** The codec of vectors; float32 when absent. */
  readonly codec?: string | undefined
  /** Whether peers may send to any other; to neighbours and servers when absent. */
  readonly reach?: 'everyone' | undefined
  /** Bits per second of each peer's line; unlimited when absent. */
  readonly bandwidth?: number | undefined
}

/**
 * Runs `program` on every peer in virtual time: 10 ms of latency, and 1 ms per sample of computing. Freed memory is
 * poisoned.
 */
export async function inSimulator(options: WorldOptions, program: WorldProgram): Promise<void> {
  await simulated(options, program)
}

/** As {@link inSimulator}, with the result of the simulation. */
export function simulated(options: WorldOptions, program: WorldProgram): Promise<SimulationResult> {
  const { topology, seed, length, servers = [], codec = 'float32', bandwidth } = options
  const coding = { codec, elements: length, random: (peer: PeerName) => createRandom(seed, peer) }
  const wire = codedWire({ ...vectorWire, ...weighed(length) }, coding)
  const others = servers.map((name) => ({ name }))
  const links = uniformLinks({ latency: 10, bandwidth })
  return simulate({ topology, servers: others, seed, wire, links, cost: ({ samples }) => samples }, (fabric) =>
    program(poisonedFabric(fabric))
  )
}

/** Runs `program` on every peer over real libp2p: TCP on the loopback, noise, yamux. */
export async function overLibp2p(
  options: WorldOptions,
  program: WorldProgram,
  onReady?: (peers: readonly Peer[]) => void
): Promise<void> {
  const names = [...options.topology.peers, ...(options.servers ?? [])]
  const peers = await Promise.all(names.map((self) => startPeer(options, self)))
  try {
    const peerList = peers.map(({ id, addresses }, index) => ({ name: names[index], id, addresses }))
    await Promise.all(peers.map((peer) => peer.connect(peerList, timeLimit(20_000))))
    onReady?.(peers)
    await Promise.all(peers.map((peer) => runProgram(peer, program, peers)))
  } finally {
    await Promise.all(peers.map((peer) => peer.close()))
  }
}

/** The first failure stops all peers, as in the simulator; being stopped is no failure. */
async function runProgram(peer: Peer, program: WorldProgram, all: readonly Peer[]): Promise<void> {
  try {
    await program(peer.fabric)
  } catch (error) {
    if (error instanceof StoppedError) return
    for (const other of all) other.stop()
    throw error
  }
}

async function startPeer(
  { topology, seed, length, servers, codec, bandwidth, reach }: WorldOptions,
  self: PeerName
): Promise<Peer> {
  return createPeer({
    self,
    identity: await createIdentity(),
    topology,
    servers,
    reach,
    codec,
    seed,
    links: bandwidth === undefined ? undefined : uniformLinks({ bandwidth }),
    listen: ['/ip4/127.0.0.1/tcp/0'],
    runSettings: { settings: { run: 'test' }, schema: [{ name: 'x', shape: [length] }], start: 'same' }
  })
}

/** The simulator as a world for the contract. */
export const simulatedWorld: FabricWorld = {
  name: 'simulator',
  isDeterministic: true,
  run: (topology, program, servers) => inSimulator({ topology, servers, seed: 1, length: vectorLength }, program),
  runOverLines: (topology, line, program) => inSimulator({ topology, seed: 1, ...line }, program),
  runAndStop: async (topology, stopped, program) => {
    const stops = new Map([[stopped, 100]])
    await simulate(
      { topology, seed: 1, wire: vectorWire, links: uniformLinks({ latency: 10 }), cost: () => 1, stops },
      (fabric) => program(poisonedFabric(fabric), () => {})
    )
  }
}

/** libp2p as a world for the contract. */
export const libp2pWorld: FabricWorld = {
  name: 'libp2p',
  isDeterministic: false,
  run: (topology, program, servers) => overLibp2p({ topology, servers, seed: 1, length: vectorLength }, program),
  runOverLines: (topology, line, program) => overLibp2p({ topology, seed: 1, ...line }, program),
  runAndStop: async (topology, stopped, program) => {
    const known = deferred<readonly Peer[]>()
    const ready = async () => {
      const peers = await known.promise
      peers[topology.peers.indexOf(stopped)].stop()
    }
    await overLibp2p(
      { topology, seed: 1, length: vectorLength },
      (fabric) => program(fabric, () => void ready()),
      known.resolve
    )
  }
}
