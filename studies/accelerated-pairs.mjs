/**
 * node studies/accelerated-pairs.mjs [PEERS…]: on a ring of peers without gradients, the number of steps until
 * disagreement has fallen by a factor of 10⁶, with AD-PSGD, and with A²CiD² with the paper's constants and with the
 * record's. The round trip is 20 ms. A gradient takes 5 ms (peers in lock-step, all meetings overlap), or 200 to 400 ms
 * (hardly any do). 16, 32 and 64 peers by default; takes a minute.
 */
import { algorithms, optionsOn, resistancesOf, Session } from '@murmuration/algorithms'
import { DivergedError, peerName, StoppedError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { createQuadraticTask } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import { vectorWire } from '@murmuration/wire'

const dimension = 4
const rounds = 6000
const named = (name) => algorithms.find((each) => each.name === name)
const sizes = process.argv.slice(2).map(Number)

/** The published constants: with χ₂ where the record has 2 χ₂. */
function published(topology) {
  const { χ1, χ2 } = resistancesOf(topology)
  return { mixing: 1 / (2 * Math.sqrt(χ1 * χ2)), pull: Math.sqrt(χ1 / χ2) / 2 }
}

/** Steps until all agree; a dash if they do not within 6,000. */
async function stepsOf(topology, algorithm, options, cost) {
  const { peers } = topology
  const starts = new Map(peers.map((peer) => [peer, normals(createRandom(5, peer))]))
  const models = new Map(starts)
  const first = distanceOf(models)
  let found = '–'
  const program = async (fabric) => {
    const { self } = fabric
    const task = createQuadraticTask({ peers, self, seed: 1, dimension })
    const settings = {
      algorithm,
      options,
      seed: 3,
      batchSize: 1,
      rounds,
      rate: () => 0,
      timeout: 10_000,
      workers: peers
    }
    for await (const { round, parameters } of new Session(fabric, task, settings, () =>
      starts.get(self).slice()
    ).steps()) {
      models.set(self, parameters.slice())
      if (self !== peers[0] || found !== '–' || distanceOf(models) > 1e-6 * first) continue
      found = round + 1
      throw new StoppedError()
    }
  }
  const links = uniformLinks({ latency: 10 })
  await simulate({ topology, seed: 4, wire: vectorWire, links, cost }, program).catch((error) => {
    if (error instanceof DivergedError) found = 'diverges'
    else if (found === '–') throw error
  })
  return found
}

const normals = (random) => Float32Array.from({ length: dimension }, () => random.normal())

function distanceOf(models) {
  const all = [...models.values()]
  const mean = all[0].map((_, d) => all.reduce((sum, x) => sum + x[d], 0) / all.length)
  return Math.hypot(...all.flatMap((x) => [...x].map((value, d) => value - mean[d])))
}

for (const size of sizes.length > 0 ? sizes : [16, 32, 64]) {
  const topology = createTopology({
    peers: Array.from({ length: size }, (_, k) => peerName(`p${k}`)),
    graph: { kind: 'ring' }
  })
  const random = createRandom(9, 'cost')
  for (const [text, cost] of [
    ['in lockstep', () => 5],
    ['200 to 400 ms', () => 200 + random.integer(200)]
  ]) {
    const a2cid2 = named('a2cid2')
    const adPsgd = named('ad-psgd')
    const plain = await stepsOf(topology, adPsgd, {}, cost)
    const paper = await stepsOf(topology, a2cid2, published(topology), cost)
    const record = await stepsOf(topology, a2cid2, optionsOn(a2cid2, topology), cost)
    console.log(
      `ring of ${size}, ${text}: AD-PSGD ${plain}, A²CiD² with the paper's constants ${paper}, with the record's ${record}`
    )
  }
}
