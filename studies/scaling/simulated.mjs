/** A step of data-parallel SGD in the simulator: the record all-reduce, its messages, and the time of computing. */
import { allAlgorithms, train } from '@murmuration/algorithms'
import { peerName } from '@murmuration/core'
import { readyAt, stepOperations } from '@murmuration/experiment/sim'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology } from '@murmuration/topology'
import { pooledVectorWire } from '@murmuration/wire'

const algorithm = allAlgorithms.find(({ name }) => name === 'all-reduce')
/** By halving and doubling: as many latencies as the model has. */
const options = { collective: 'halving-doubling', fusion: 'per-tensor', calls: 'blocking' }

/** Seconds of a step of a run of model.mjs on `nodes` nodes, with or without overlap. */
export async function simulatedStepTime({ layers, batch, machine }, nodes, { overlap }) {
  const peers = Array.from({ length: nodes }, (_, index) => peerName(`n${String(index).padStart(3, '0')}`))
  const topology = createTopology({ peers, graph: { kind: 'ring' } })
  const links = uniformLinks({ latency: machine.latency * 1000, bandwidth: machine.bytes * 8 })
  const cost = ({ kind }) =>
    kind === 'gradient' ? ((stepOperations(layers) * batch) / nodes / machine.operations) * 1000 : 0
  const parts = overlap ? partsOf(layers, nodes) : undefined
  const settings = {
    algorithm,
    options,
    seed: 1,
    batchSize: 1,
    rounds: 1,
    rate: () => 0.1,
    timeout: 1e9,
    workers: peers
  }
  const { elapsed } = await simulate(
    { topology, seed: 1, wire: wireOf(layers, nodes), links, cost },
    async (fabric) => {
      for await (const report of train(fabric, taskOf(layers, nodes, parts), settings)) void report
    }
  )
  return elapsed / 1000
}

/** A layer has one number per node, so that all nodes send equally much of it. */
function taskOf(layers, nodes, parts) {
  const vector = new Float32Array(layers.length * nodes)
  const work = (kind, result) => ({
    kind,
    samples: 1,
    run: () => result,
    parts: kind === 'gradient' ? parts : undefined
  })
  return {
    schema: layers.map((_, index) => ({ name: `layer ${index + 1}`, shape: [nodes] })),
    samples: 1,
    about: {},
    initialise: () => work('initialise', vector.slice()),
    gradient: () => work('gradient', { loss: 1, vector }),
    evaluate: () => work('evaluate', { loss: 1 })
  }
}

/** The layers in the order in which they are ready. */
function partsOf(layers, nodes) {
  const parts = readyAt(layers).map((done, index) => ({ offset: index * nodes, length: nodes, done }))
  return parts.reverse()
}

/** Each of a layer's numbers stands for its share of the layer's bytes. */
function wireOf(layers, nodes) {
  const payloadLength = ({ offset = 0, vector }) =>
    (4 * layers[Math.floor(offset / nodes)].numbers * vector.length) / nodes
  return { ...pooledVectorWire(), payloadLength, byteLength: payloadLength }
}
