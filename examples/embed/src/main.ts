/** Three peers inside one application learn the mean of numbers that each of them keeps to itself. */
import { dpsgd, Members, train } from '@murmuration/algorithms'
import { type PeerName, peerName, type StepReport, type Task } from '@murmuration/core'
import { createIdentity, createPeer } from '@murmuration/libp2p'
import { createTopology } from '@murmuration/topology'

const secrets = new Map([peerName('ann'), peerName('bob'), peerName('cat')].map((name, k) => [name, 10 * k]))
const topology = createTopology({ peers: [...secrets.keys()], graph: { kind: 'ring' } })

/** A task of one's own: the loss ½(x − secret)², whose gradient is x − secret. */
const taskOf = (secret: number): Task => ({
  schema: [{ name: 'x', shape: [] }],
  samples: 1,
  about: { model: 'one number' },
  initialise: () => ({ kind: 'initialise', samples: 0, run: async () => new Float32Array(1) }),
  gradient: ([x = 0]) => ({
    kind: 'gradient',
    samples: 1,
    run: async () => ({ loss: (x - secret) ** 2 / 2, vector: Float32Array.of(x - secret) })
  }),
  evaluate: ([x = 0]) => ({ kind: 'evaluate', samples: 1, run: async () => ({ loss: (x - secret) ** 2 / 2 }) })
})

/** Ends all peers that have not finished by then. */
const signal = AbortSignal.timeout(60_000)

async function startPeer(self: PeerName, secret: number, onStep: (report: StepReport) => void) {
  const runSettings = { settings: { run: 'embed' }, schema: taskOf(secret).schema, start: 'zero' }
  const listen = ['/ip4/127.0.0.1/tcp/0']
  const identity = await createIdentity()
  const peer = await createPeer({ self, identity, topology, seed: 1, listen, runSettings, signal })
  const options = { seed: 1, batchSize: 1, rounds: 100, finalRounds: 5, rate: () => 0.1, timeout: 10_000 }
  const wait = { start: 60_000, pause: 60_000 }
  const members = new Members(peer.fabric, { topology, signer: peer.signer, wait })
  const settings = { algorithm: dpsgd, workers: topology.peers, members, ...options }
  const run = async () => {
    for await (const report of train(peer.fabric, taskOf(secret), settings, { signal })) onStep(report)
  }
  return { self, peer, run: () => run().finally(() => peer.close()) }
}

const print = (name: PeerName) => (step: StepReport) =>
  process.stdout.write(`${name} ${step.round} ${step.parameters[0]}\n`)
const peers = await Promise.all([...secrets].map(([name, secret]) => startPeer(name, secret, print(name))))
const peerList = peers.map(({ self, peer: { id, addresses } }) => ({ name: self, id, addresses }))
for (const { peer } of peers) peer.meet(peerList)
await Promise.all(peers.map(({ run }) => run()))
