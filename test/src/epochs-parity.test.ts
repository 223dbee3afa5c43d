/** A peer that dies in the same round on libp2p and in the simulator: the others continue with the same bits. */
import {
  type Algorithm,
  algorithms,
  type EpochBeginning,
  Members,
  train,
  type ElasticSettings
} from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import { type Fabric, type PeerName, peerName, StoppedError, type Topology } from '@murmuration/core'
import { createIdentity, createPeer, type Peer } from '@murmuration/libp2p'
import { type Signer, trustingSigner } from '@murmuration/membership'
import { noFaults, simulate, uniformLinks } from '@murmuration/simulator'
import { createSoftmaxTask } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import { bodyOf } from '@murmuration/vectors'
import { type VectorMessage, vectorWire, weighed } from '@murmuration/wire'
import test, { type ExecutionContext } from 'ava'

const peers = ['a', 'b', 'c', 'd'].map(peerName)
const [a, dying] = peers
const topology = createTopology({ peers, graph: { kind: 'ring' } })
/** In epochs nobody asks members for their neighbours. */
const members: Topology = {
  peers,
  period: 1,
  mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] })
}
const length = 7850
const day = 86_400_000

/** What the peers that live on have done. */
class Survival {
  readonly epochs: EpochBeginning['epoch'][] = []
  readonly models = new Map<PeerName, Float32Array>()
  readonly #algorithm: Algorithm
  readonly #ended = new Map<PeerName, number>()

  constructor(algorithm: Algorithm) {
    this.#algorithm = algorithm
  }

  /** Trains one peer. `onRound` is awaited after each round. */
  async train(
    fabric: Fabric<VectorMessage>,
    signer: Signer,
    onRound?: (round: number) => Promise<void>
  ): Promise<void> {
    const { self } = fabric
    const data = { kind: 'digits', samples: 150 } as const
    const partition = { kind: 'dirichlet', alpha: 0.5 } as const
    const task = await createSoftmaxTask({ localData: { data, testFraction: 0.2, partition, peers, seed: 5, self } })
    const settings: ElasticSettings = {
      algorithm: this.#algorithm,
      seed: 1,
      batchSize: 8,
      rounds: 40,
      rate: (k) => 0.05 / (1 + k / 10),
      optimiser: { name: 'sgd', momentum: 0.9 },
      timeout: timeLimit(20_000),
      workers: peers,
      members: new Members(fabric, { topology: members, signer, wait: { start: day, pause: day } }),
      epochs: {
        topology,
        areEqual: this.#algorithm.keeps === 'equality',
        before: ({ epoch }) => {
          if (self === a) this.epochs.push(epoch)
        }
      }
    }
    for await (const { round, parameters } of train(fabric, task, settings)) {
      this.#ended.set(self, round)
      this.models.set(self, parameters.slice())
      await onRound?.(round)
    }
  }

  /** Whether all have ended a round. */
  haveEnded(round: number): boolean {
    return peers.every((name) => (this.#ended.get(name) ?? -1) >= round)
  }
}

/** One dies after 1.2 s, in which a gradient takes 50 ms. */
async function inSimulator(algorithm: Algorithm): Promise<Survival> {
  const survival = new Survival(algorithm)
  const faults = { ...noFaults, events: [{ at: 1200, kind: 'crash', peer: dying }] } as const
  const cost = ({ kind }: { readonly kind: string }) => (kind === 'gradient' ? 50 : 0)
  const wire = { ...vectorWire, ...weighed(length) }
  await simulate({ topology, seed: 1, wire, links: uniformLinks({ latency: 5 }), cost, faults }, (fabric) =>
    survival.train(fabric, trustingSigner)
  )
  return survival
}

/** One dies once all have ended the round before this one, which they cannot end without it. */
async function overLibp2p(t: ExecutionContext, algorithm: Algorithm, round: number): Promise<Survival> {
  const survival = new Survival(algorithm)
  const all = await Promise.all(peers.map((self) => startPeer(t, self)))
  const peerList = all.map(({ id, addresses }, place) => ({ name: peers[place], id, addresses }))
  for (const peer of all) peer.meet(peerList)
  const trained = async (peer: Peer) => {
    const { fabric, signer } = peer
    const dies = async (ended: number) => {
      if (ended !== round - 1) return
      while (!survival.haveEnded(ended)) await fabric.sleep(fabric.now() + 5)
      peer.stop()
    }
    try {
      await survival.train(fabric, signer, fabric.self === dying ? dies : undefined)
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error
    }
  }
  const dead = peers.indexOf(dying)
  await Promise.all(all.map((peer, place) => trained(peer).then(() => (place === dead ? peer.close() : undefined))))
  return survival
}

async function startPeer(t: ExecutionContext, self: PeerName): Promise<Peer> {
  const peer = await createPeer({
    self,
    identity: await createIdentity(),
    topology,
    reach: 'everyone',
    seed: 1,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    runSettings: { settings: { run: 'test' }, schema: [{ name: 'x', shape: [length] }], start: 'same' }
  })
  t.teardown(() => peer.close())
  return peer
}

for (const name of ['all-reduce', 'local-sgd'])
  test.serial(
    `${name}: where one dies in the same round, the others end with the same bits on libp2p and in the simulator`,
    async (t) => {
      t.timeout(timeLimit(60_000))
      const algorithm = algorithms.find((record) => record.name === name) as Algorithm
      const simulated = await inSimulator(algorithm)
      const [{ round }] = simulated.epochs
      const real = await overLibp2p(t, algorithm, round)
      for (const { epochs } of [simulated, real])
        t.deepEqual(
          epochs.map((epoch) => [epoch.round, epoch.members.map((member) => member.name), epoch.givers]),
          [[round, peers.filter((peer) => peer !== dying), peers.filter((peer) => peer !== dying)]]
        )
      for (const peer of peers.filter((each) => each !== dying)) {
        const model = simulated.models.get(peer) as Float32Array
        t.true(model.some((value) => value !== 0))
        t.is(Buffer.compare(bodyOf(real.models.get(peer) as Float32Array), bodyOf(model)), 0, peer)
      }
    }
  )
