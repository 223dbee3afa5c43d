// All-reduces over uneven links in the simulator: seven known networks, and drawn ones.
//
//   node studies/collectives-on-links.mjs [--drawn COUNT] [--seed SEED] [--real] [--bits]
//
// Without --drawn: seven networks and 4 MiB, each collective, and what the lines alone allow: size / rate + hops ·
// latency. With --drawn: so many networks, drawn from a seed, and 4 KiB, 256 KiB and 16 MiB: how much slower `auto` is
// than the best of the others. With --real: four real peers over shaped access lines beside their simulation. With
// --bits: whether 2 to 16 real peers get the bits of the simulation, and all the same, also where a vector is shorter
// than there are trees.
import { algorithms, optionsOn, train } from '@murmuration/algorithms'
import { byName } from '@murmuration/core'
import { parseTopologyFile } from '@murmuration/files'
import { createIdentity, createPeer } from '@murmuration/libp2p'
import { createRandom } from '@murmuration/random'
import { rawNetwork, simulate } from '@murmuration/simulator'
import { packAllReduce } from '@murmuration/topology'
import { frameHeaderLength, framesOf, vectorWire } from '@murmuration/wire'
import Table from 'cli-table3'

const allReduce = algorithms.find(({ name }) => name === 'all-reduce')
const names = ['ring', 'halving-doubling', 'direct', 'trees']

const known = {
  'even, 10 Mbit/s': { peers: 8, links: { default: { bandwidth: '10 Mbit/s', latency: '10 ms' } } },
  'one line of 1': {
    peers: 8,
    links: { default: { bandwidth: '10 Mbit/s', latency: '10 ms' }, peers: { p3: { bandwidth: '1 Mbit/s' } } }
  },
  'hub and spokes': {
    peers: 8,
    links: {
      default: { up: '10 Mbit/s', down: '50 Mbit/s', latency: '10 ms' },
      peers: { p1: { bandwidth: '1 Gbit/s' } }
    }
  },
  'two homes': {
    peers: 8,
    links: {
      default: { bandwidth: '1 Gbit/s', latency: '15 ms' },
      pipes: [
        { name: 'home-a', up: '20 Mbit/s', down: '100 Mbit/s', peers: ['p1', 'p2', 'p3', 'p4'] },
        { name: 'home-b', up: '10 Mbit/s', down: '50 Mbit/s', peers: ['p5', 'p6', 'p7', 'p8'] }
      ]
    }
  },
  'two sites, names alternate': {
    peers: 8,
    links: {
      default: { bandwidth: '1 Gbit/s', latency: '10 ms' },
      pipes: [{ name: 'thin', bandwidth: '10 Mbit/s', peers: ['p1', 'p3', 'p5', 'p7'] }]
    }
  },
  'three sites': {
    peers: 8,
    links: {
      default: { bandwidth: '100 Mbit/s', latency: '5 ms' },
      pipes: [
        { name: 'x', bandwidth: '40 Mbit/s', peers: ['p1', 'p4', 'p7'] },
        { name: 'y', up: '10 Mbit/s', down: '20 Mbit/s', peers: ['p2', 'p5', 'p8'] },
        { name: 'z', up: '5 Mbit/s', down: '50 Mbit/s', peers: ['p3', 'p6'] }
      ]
    }
  },
  'preset wan, three clouds': {
    peers: 9,
    links: {
      preset: 'wan',
      regions: Object.fromEntries(
        ['Virginia', 'Ireland', 'Tokyo'].flatMap((region, cloud) =>
          [1, 2, 3].map((place) => [`p${3 * cloud + place}`, region])
        )
      )
    }
  }
}

/** Links of some peers: access lines, latencies, pipes around groups and between them, pairs and windows. */
function drawn(seed) {
  const random = createRandom(seed, 'links')
  const one = (...values) => values[random.integer(values.length)]
  const rate = () => `${one(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)} Mbit/s`
  const latency = () => `${one(0, 1, 2, 5, 10, 20, 50, 100)} ms`
  const line = () => (random.uniform() < 0.5 ? { bandwidth: rate() } : { up: rate(), down: rate() })
  const n = 2 + random.integer(9)
  const peers = Array.from({ length: n }, (_, k) => `p${k + 1}`)
  const some = (share) => peers.filter(() => random.uniform() < share)
  const links = { default: { ...line(), latency: latency() } }
  if (random.uniform() < 0.15) links.default.window = `${one(64, 256, 1024)} KiB`
  if (random.uniform() < 0.5)
    links.peers = Object.fromEntries(some(0.3).map((peer) => [peer, { ...line(), latency: latency() }]))
  const groups = Array.from({ length: random.integer(3) }, () => some(0.4)).filter(
    ({ length }) => length > 0 && length < n
  )
  if (groups.length > 0)
    links.pipes = groups.map((group, k) => ({
      name: `pipe${k}`,
      ...(random.uniform() < 0.2 ? { bandwidth: rate(), duplex: 'half' } : line()),
      peers: group
    }))
  if (random.uniform() < 0.3)
    links.pairs = peers
      .slice(1)
      .filter(() => random.uniform() < 0.3)
      .map((peer) => ({ between: [peers[0], peer], bandwidth: rate(), latency: latency() }))
  if (random.uniform() < 0.1) return { peers, links: { preset: 'wan' } }
  return { peers, links }
}

function read({ peers, links }) {
  return parseTopologyFile(JSON.stringify({ graph: 'complete', peers, links }), 'links')
}

/** Numbers that stand for a vector, each for the same part of its bytes. */
const length = 16_384

const taskOf = {
  schema: [{ name: 'x', shape: [length] }],
  samples: 1,
  about: {},
  initialise: () => ({ kind: 'initialise', samples: 0, run: () => new Float32Array(length) }),
  gradient: (x) => ({ kind: 'gradient', samples: 1, run: () => ({ loss: 1, vector: x.slice().fill(1) }) })
}

/** Predicted times of a vector of as many numbers as stand for the real one. */
function scaled({ collective, ...options }, scale) {
  if (collective?.candidates === undefined) return { ...options, collective }
  const candidates = collective.candidates.map(({ time, ...rest }) => ({
    ...rest,
    time: time.map((each) => ({ ...each, bytes: each.bytes / scale }))
  }))
  return { ...options, collective: { ...collective, candidates } }
}

/** Seconds of one all-reduce. */
async function seconds({ topology, links }, bytes, options) {
  const scale = bytes / (4 * length)
  const payloadLength = ({ vector }) => vector.byteLength * scale
  const byteLength = (message) => framesOf(message.vector.length * scale) * frameHeaderLength + payloadLength(message)
  const resolved = scaled(optionsOn(allReduce, topology, options, links), scale)
  const settings = { algorithm: allReduce, options: resolved, seed: 1, batchSize: 1, rounds: 1, rate: () => 1 }
  const world = { topology, seed: 1, wire: { ...vectorWire, payloadLength, byteLength }, links, network: rawNetwork }
  const { elapsed } = await simulate({ ...world, queueLimit: 1e6, cost: () => 0 }, async (fabric) => {
    const steps = train(fabric, taskOf, { ...settings, timeout: 1e9, workers: topology.peers })
    while (!(await steps.next()).done) continue
  })
  return elapsed / 1000
}

/** The longest way into a tree's root and out of it again, in milliseconds. */
function latencyOf({ root, into, out }, peers, links) {
  const way = (parents, toRoot) =>
    Math.max(
      ...peers.map((_, start) => {
        let sum = 0
        for (let k = start; k !== root; k = parents[k])
          sum += (toRoot ? links.path(peers[k], peers[parents[k]]) : links.path(peers[parents[k]], peers[k])).latency
        return sum
      })
    )
  return way(into, true) + way(out, false)
}

async function knownNetworks() {
  const bytes = 2 ** 22
  const table = new Table({
    head: ['links, 4 MiB', 'ring by names', ...names, 'auto', 'the lines alone', 'trees/that'],
    style: { head: [] }
  })
  for (const [title, described] of Object.entries(known)) {
    const file = read(described)
    const peers = [...file.topology.peers].sort(byName)
    const { trees, rate } = packAllReduce(peers, file.links)
    const hops = Math.max(...trees.map((tree) => latencyOf(tree, peers, file.links))) / 1000
    const least = (8 * bytes) / rate + hops
    const byNames = await seconds(file, bytes, { collective: 'ring', order: 'names' })
    const times = []
    for (const collective of [...names, 'auto']) times.push(await seconds(file, bytes, { collective }))
    const cells = [byNames, ...times, least].map((each) => each.toPrecision(4))
    table.push([title, ...cells, (times[names.indexOf('trees')] / least).toFixed(3)])
  }
  console.log(table.toString())
}

async function drawnNetworks(count, seed) {
  const sizes = { '4 KiB': 2 ** 12, '256 KiB': 2 ** 18, '16 MiB': 2 ** 24 }
  const slower = []
  for (let k = 0; k < count; k++) {
    const file = read(drawn(seed + k))
    for (const [size, bytes] of Object.entries(sizes)) {
      const times = []
      for (const collective of names) times.push(await seconds(file, bytes, { collective }))
      const auto = await seconds(file, bytes, { collective: 'auto' })
      const best = Math.min(...times)
      slower.push({ seed: seed + k, size, ratio: best === 0 ? 1 : auto / best, times, auto })
    }
  }
  slower.sort((left, right) => right.ratio - left.ratio)
  const off = slower.filter(({ ratio }) => ratio > 1.02)
  console.log(`auto is more than 2 % slower than the best in ${off.length} of ${slower.length}; the worst:`)
  for (const { seed: own, size, ratio, times, auto } of slower.slice(0, 10)) {
    const texts = names.map((name, index) => `${name} ${times[index].toPrecision(4)}`)
    console.log(`  seed ${own}, ${size}: ${ratio.toFixed(3)}, auto ${auto.toPrecision(4)} s; ${texts.join(', ')}`)
  }
}

/** Real peers in this process, over lines as slow as the links say. */
async function realPeers() {
  const { topology, links } = read({
    peers: 4,
    links: { default: { bandwidth: '40 Mbit/s', latency: '10 ms' }, peers: { p3: { up: '10 Mbit/s' } } }
  })
  const { peers } = topology
  const vector = 2 ** 20
  const schema = [{ name: 'x', shape: [vector] }]
  const gradient = (x) => ({ kind: 'gradient', samples: 1, run: () => ({ loss: 1, vector: x.slice().fill(1) }) })
  const initialise = () => ({ kind: 'initialise', samples: 0, run: () => new Float32Array(vector) })
  const task = { schema, samples: 1, about: {}, initialise, gradient }
  const rounds = 4
  for (const collective of names) {
    const options = optionsOn(allReduce, topology, { collective }, links)
    const simulated = await seconds({ topology, links }, 4 * vector, { collective })
    const settings = { algorithm: allReduce, options, seed: 1, batchSize: 1, rounds, rate: () => 1, timeout: 60_000 }
    const runSettings = { settings: { collective }, schema, start: '' }
    const opened = await connected(topology, runSettings, links)
    const ends = []
    await Promise.all(
      opened.map(async ({ fabric }) => {
        let began
        for await (const _ of train(fabric, task, { ...settings, workers: peers })) began ??= performance.now()
        ends.push((performance.now() - began) / 1000 / (rounds - 1))
      })
    )
    await Promise.all(opened.map((peer) => peer.close()))
    const real = Math.max(...ends)
    console.log(
      `${collective}: ${real.toFixed(3)} s a round, simulated ${simulated.toFixed(3)} s (${(real / simulated).toFixed(3)})`
    )
  }
}

/** Real peers that have met, without shaped lines unless links are given. */
async function connected(topology, runSettings, links) {
  const { peers } = topology
  const opened = await Promise.all(
    peers.map(async (self) => {
      const identity = await createIdentity()
      return createPeer({ self, identity, topology, seed: 1, listen: ['/ip4/127.0.0.1/tcp/0'], runSettings, links })
    })
  )
  const list = opened.map(({ id, addresses }, index) => ({ name: peers[index], id, addresses }))
  for (const peer of opened) peer.meet(list)
  return opened
}

async function sameBits() {
  for (let n = 2; n <= 16; n++) {
    const peers = Array.from({ length: n }, (_, k) => `p${String(k).padStart(2, '0')}`)
    const rate = (k) => (n % 2 === 0 ? 10 : 1 + ((7 * k) % 10))
    const lines = peers.map((peer, k) => [peer, { up: `${rate(k)} Mbit/s`, down: '10 Mbit/s' }])
    const { topology, links } = read({
      peers,
      links: { default: { latency: '5 ms' }, peers: Object.fromEntries(lines) }
    })
    for (const numbers of [3, 1000]) {
      const schema = [{ name: 'x', shape: [numbers] }]
      const taskOfPeer = (self) => ({
        schema,
        samples: 1,
        about: {},
        initialise: () => ({ kind: 'initialise', samples: 0, run: () => new Float32Array(numbers) }),
        gradient: (x, _, round) => ({
          kind: 'gradient',
          samples: 1,
          run: () => ({
            loss: 1,
            vector: x.map((value, k) => 0.1 * value + Math.sin(1 + k * (1 + topology.peers.indexOf(self)) + round))
          })
        })
      })
      const options = optionsOn(allReduce, topology, { collective: 'trees' }, links)
      const settings = { algorithm: allReduce, options, seed: 1, batchSize: 1, rounds: 3, rate: () => 0.1 }
      const run = async (fabric, ends) => {
        const steps = train(fabric, taskOfPeer(fabric.self), { ...settings, timeout: 60_000, workers: topology.peers })
        for await (const { parameters } of steps)
          ends.set(fabric.self, Buffer.from(parameters.slice().buffer).toString('hex'))
      }
      const [simulated, real] = [new Map(), new Map()]
      const world = { topology, seed: 1, wire: vectorWire, links, network: rawNetwork, queueLimit: 1e6, cost: () => 1 }
      await simulate(world, (fabric) => run(fabric, simulated))
      const opened = await connected(topology, { settings: { run: 'bits' }, schema, start: '' })
      await Promise.all(opened.map(({ fabric }) => run(fabric, real)))
      await Promise.all(opened.map((peer) => peer.close()))
      const bits = new Set([...simulated.values(), ...real.values()])
      const count = simulated.size + real.size
      console.log(
        `${n} peers, ${numbers} numbers, ${options.collective.trees.length} trees: ${bits.size === 1 && count === 2 * n ? 'the same bits' : 'DIFFERENT BITS'}`
      )
    }
  }
}

const valueOf = (name) => {
  const index = process.argv.indexOf(name)
  return index < 0 ? undefined : Number(process.argv[index + 1])
}
if (process.argv.includes('--real')) await realPeers()
else if (process.argv.includes('--bits')) await sameBits()
else if (valueOf('--drawn') === undefined) await knownNetworks()
else await drawnNetworks(valueOf('--drawn'), valueOf('--seed') ?? 1)
