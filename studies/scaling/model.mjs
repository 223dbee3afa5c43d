/**
 * How synchronous SGD scales, by a layer-wise model of computing and communication. Nothing is fitted.
 *
 * A node computes forward, then from the last layer on the gradients of its weights and of its inputs. The sum of a
 * layer's weight gradients over the nodes begins when they are there; the network does one sum after the other. Each
 * takes 2 (N − 1)/N of its bytes on every line, and 2 ⌈log₂ N⌉ latencies. The next step begins with the last sum.
 *
 * Hybrid layers, fully connected ones alone: G groups of N/G nodes, in each of which a layer is divided, so that inputs
 * travel, and their gradients; sums run between groups, for 1/(N/G) of the weights. G is what sends the fewest bytes.
 * The simulator has no such layers.
 */
import { networks } from '@murmuration/experiment/sim'

/** Of a processor's peak and of a line's rate, what is assumed to be reached. */
const [ofPeak, ofLine] = [0.7, 0.85]

/** Operations and bytes per second, and seconds of latency: assumptions, since the abstract names no machines. */
const machine = (cores, gigahertz, bytes, latency) => ({
  operations: ofPeak * cores * gigahertz * 1e9 * 32,
  bytes: ofLine * bytes,
  latency
})
const machines = {
  '32 cores of 2.3 GHz, 8 GB/s': machine(32, 2.3, 8e9, 5e-6),
  '18 cores of 2.9 GHz, 10 Gbit/s': machine(18, 2.9, 1.25e9, 50e-6),
  '32 cores of 2.3 GHz, 6.8 GB/s': machine(32, 2.3, 6.8e9, 5e-6)
}

/** The runs of the abstract: samples of all nodes together, the number of nodes, and the published speed-up. */
export const runs = [
  { network: 'vgg-a', batch: 512, nodes: 128, published: '90', on: '32 cores of 2.3 GHz, 8 GB/s' },
  { network: 'vgg-a', batch: 256, nodes: 64, published: '53', on: '32 cores of 2.3 GHz, 8 GB/s' },
  { network: 'overfeat-fast', batch: 256, nodes: 64, published: '42', on: '32 cores of 2.3 GHz, 8 GB/s' },
  { network: 'vgg-a', batch: 256, nodes: 16, published: '~14', on: '18 cores of 2.9 GHz, 10 Gbit/s' },
  { network: 'cd-dnn', batch: 1024, nodes: 16, published: '6.5', on: '32 cores of 2.3 GHz, 6.8 GB/s' }
].map((run) => ({ ...run, layers: networks[run.network], machine: machines[run.on] }))

/** Seconds of a step on `nodes` nodes. */
export function stepTime({ layers, batch, machine: { operations, bytes, latency } }, nodes, { overlap, hybrid }) {
  const latencies = nodes === 1 ? 0 : 2 * Math.ceil(Math.log2(nodes)) * latency
  const parts = layers.map((layer) => {
    const sent = sentBytes(layer, nodes, batch, hybrid)
    const sum = sent.sums === 0 ? 0 : sent.sums / bytes + latencies
    return { pass: (2 * layer.multiplyAdds * batch) / nodes / operations, sum, inputs: sent.inputs / bytes / 2 }
  })
  let time = parts.reduce((total, { pass, inputs }) => total + pass + inputs, 0)
  let summed = time
  for (const [index, { pass, sum, inputs }] of [...parts.entries()].reverse()) {
    time += pass
    summed = Math.max(summed, time) + sum
    if (index > 0) time += pass + inputs
  }
  return overlap ? Math.max(time, summed) : time + parts.reduce((total, { sum }) => total + sum, 0)
}

/** By how much faster a step is than on one node. */
export function speedUp(run, nodes, options) {
  return stepTime(run, 1, options) / stepTime(run, nodes, options)
}

/** Bytes that a node sends for a layer in a step: sums of gradients, and inputs with their gradients. */
function sentBytes(layer, nodes, batch, hybrid) {
  let best = { sums: (2 * (nodes - 1) * 4 * layer.numbers) / nodes, inputs: 0 }
  // A dense layer uses each weight once for a sample.
  const isDense = layer.multiplyAdds < layer.numbers
  if (!hybrid || !isDense) return best
  const outputs = layer.numbers - layer.multiplyAdds
  const inputs = layer.multiplyAdds / outputs
  for (let groups = 1; groups < nodes; groups++) {
    if (nodes % groups !== 0) continue
    const within = nodes / groups
    const sums = (2 * (groups - 1) * 4 * (layer.numbers / within)) / groups
    const moved = (2 * 4 * inputs * (batch / groups) * (within - 1)) / within
    if (sums + moved < best.sums + best.inputs) best = { sums, inputs: moved }
  }
  return best
}
