// The effect of liars on training: an MLP on digits, 16 peers of which 2 lie, on a random graph of degree 8. The table
// of studies/hard-data-and-liars.md:
//
//   node studies/lies.mjs RESULTS.jsonl [SEEDS]
//
// Accuracy of the mean of the honest peers' models, the median over the seeds (default 3). The file keeps a line per
// run, which is not computed again.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { algorithms, train } from '@murmuration/algorithms'
import { createRandom } from '@murmuration/random'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology } from '@murmuration/topology'
import { mean } from '@murmuration/vectors'
import { pooledVectorWire } from '@murmuration/wire'
import { lies, lyingWire } from '@murmuration/experiment/sim'
import { peersOf, tasksOf } from './slow-links/engine.mjs'

const [file, count = '3'] = process.argv.slice(2)
if (file === undefined) throw new Error('expected the path of a file for the results')
const peers = peersOf(16)
const liars = new Set([peers[3], peers[11]])
const seeds = Array.from({ length: Number(count) }, (_, place) => place + 1)
const methods = [
  ['plain averaging (D-PSGD, adapting first)', 'dpsgd', { order: 'adapt-then-combine' }],
  ['ClippedGossip, b = 2', 'clipped-gossip', { b: 2 }],
  ['trimmed mean, b = 2', 'trimmed-mean', { b: 2 }]
]

async function accuracyOf([, name, options], lie, seed) {
  const algorithm = algorithms.find((each) => each.name === name)
  const topology = createTopology({ peers, graph: { kind: 'random-regular', degree: 8, seed: 1 } })
  const tasks = await tasksOf(peers, seed, { size: 8, samples: 12000 })
  const wire = lie === 'nobody lies' ? pooledVectorWire() : lyingWire(pooledVectorWire(), liars, lie, createRandom(seed, 'lies')) // oxfmt-ignore
  const settings = { algorithm, options, seed, batchSize: 16, rounds: 150, rate: () => 0.1, optimiser: { name: 'sgd', momentum: 0.9 }, timeout: 1e12, workers: peers } // oxfmt-ignore
  const ends = new Map()
  try {
    await simulate({ topology, seed, wire, links: uniformLinks({ latency: 1 }), cost: () => 10 }, async (fabric) => {
      for await (const { parameters } of train(fabric, tasks.of.get(fabric.self), settings))
        if (!liars.has(fabric.self)) ends.set(fabric.self, parameters.slice())
    })
  } catch (error) {
    if (error.name !== 'DivergedError') throw error
    return 0
  }
  return tasks.union.evaluate(mean([...ends.values()])).run().accuracy
}

const known = existsSync(file)
  ? readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : []
const told = ['nobody lies', ...lies]
console.log(`| | ${told.join(' | ')} |\n| --- |${' --- |'.repeat(told.length)}`)
for (const method of methods) {
  const cells = []
  for (const lie of told) {
    const all = []
    for (const seed of seeds) {
      const found = known.find((line) => line.method === method[0] && line.lie === lie && line.seed === seed)
      const accuracy = found?.accuracy ?? (await accuracyOf(method, lie, seed))
      if (found === undefined) appendFileSync(file, JSON.stringify({ method: method[0], lie, seed, accuracy }) + '\n')
      all.push(accuracy)
    }
    const median = all.sort((left, right) => left - right)[(all.length - 1) >> 1]
    cells.push(median === 0 ? 'diverges' : `${(100 * median).toFixed(1)} %`)
  }
  console.log(`| ${method[0]} | ${cells.join(' | ')} |`)
}
