/**
 * node studies/dual-ascent.mjs [ROUNDS]: rounds until the worst of eight peers is within 1 % of the optimum of an SVM
 * (hinge, l2 0.01): CoLA with ten passes, and D-PSGD with the best of six rates and batches. A dash means not within
 * ROUNDS, 1000 when absent. Takes a minute.
 */
import { algorithms, gapOf, train } from '@murmuration/algorithms'
import { peerName } from '@murmuration/core'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { createSvmTaskSet } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import { vectorWire } from '@murmuration/wire'

const limit = Number(process.argv[2] ?? 1000)
const peers = Array.from({ length: 8 }, (_, k) => peerName(`p${k}`))
const l2 = 0.01
const [cola, dpsgd] = ['cola', 'dpsgd'].map((wanted) => algorithms.find(({ name }) => name === wanted))

/** Trains, and calls `each` with all models after a round, and the parts of the gap; stops when it returns true. */
async function run(tasks, kind, settings, each) {
  const topology = createTopology({ peers, graph: { kind } })
  const rounds = []
  const links = uniformLinks({ latency: 1 })
  const options = { topology, seed: 1, wire: vectorWire, links, cost: () => 1 }
  let isDone = false
  await simulate(options, async (fabric) => {
    const own = { seed: 1, batchSize: 1, rate: () => 1, timeout: 10_000, workers: peers, ...settings }
    for await (const { round, parameters, gapPart } of train(fabric, tasks.of(fabric.self), own)) {
      const all = (rounds[round] ??= { models: [], parts: [] })
      all.models.push(parameters.slice())
      all.parts.push(gapPart)
      if (all.models.length === peers.length) {
        rounds[round] = undefined
        isDone ||= each(round + 1, all)
      }
      if (isDone) return
    }
  }).catch((error) => {
    if (!isDone) throw error
  })
}

async function compared(title, data, kind) {
  const localData = { testFraction: 0.1, peers, seed: 1, ...data }
  const tasks = await createSvmTaskSet({ localData, loss: 'hinge', l2 })
  const { union } = tasks
  const all = Uint32Array.from({ length: union.samples }, (_, sample) => sample)
  const P = (model) => union.gradient(model, all).run().loss
  let optimum = Number.POSITIVE_INFINITY
  let gap
  await run(
    tasks,
    'complete',
    { algorithm: cola, options: { passes: 10 }, rounds: 3000 },
    (round, { models, parts }) => {
      if (round % 20 !== 0) return false
      optimum = Math.min(optimum, P(models[0]))
      gap = gapOf(parts, 0)
      return gap < 1e-4 * optimum
    }
  )
  const roundsOf = async (graph, settings) => {
    let found
    await run(tasks, graph, { rounds: limit, ...settings }, (round, { models }) => {
      if (round > 40 && round % 10 !== 0) return false
      if (Math.max(...models.map(P)) <= 1.01 * optimum) found = round
      return found !== undefined
    })
    return found
  }
  const best = (counts) => counts.filter((count) => count !== undefined).sort((a, b) => a - b)[0] ?? '–'
  const cells = []
  for (const graph of ['complete', 'ring']) {
    cells.push((await roundsOf(graph, { algorithm: cola, options: { passes: 10 } })) ?? '–')
    const tried = []
    for (const batchSize of [16, 128])
      for (const c of [0.3, 1, 3])
        tried.push(
          await roundsOf(graph, {
            algorithm: dpsgd,
            options: { order: 'adapt-then-combine' },
            batchSize,
            rate: (k) => c / (l2 * (k + 1 + 1 / l2))
          })
        )
    cells.push(best(tried))
  }
  console.log(
    `| ${title}, ${kind} | ${cells.join(' | ')} |   optimum ${optimum.toFixed(6)}, gap ${gap.toExponential(1)}`
  )
}

console.log('| | CoLA, complete | D-PSGD, complete | CoLA, ring | D-PSGD, ring |\n| --- | --- | --- | --- | --- |')
const equal = { kind: 'equal' }
const many = { kind: 'gaussians', samples: 2000, features: 20 }
const few = { kind: 'gaussians', samples: 400, features: 57 }
await compared('225 samples a peer of 20 features', { data: many, partition: equal }, 'alike')
await compared('225 samples a peer of 20 features', { data: many, partition: { kind: 'label' } }, 'one class a peer')
await compared('45 samples a peer of 57 features', { data: few, partition: equal }, 'alike')
