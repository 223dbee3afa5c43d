/**
 * Lists which of this repository's files run: those with a called function, other than the module itself, as V8 counts
 * it.
 *
 *   node packages/experiment/bench/walks.mjs round          ten rounds of D-PSGD in one of two real peers
 *   node packages/experiment/bench/walks.mjs sim SCENARIO   any command of murmur, with all its processes
 *   node packages/experiment/bench/walks.mjs --in FOLDER …  the same for another built checkout
 *
 * All processes and threads of the command count. --list names the files.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const args = process.argv.slice(2)
const isListed = args[0] === '--list' && args.shift() !== undefined
const checkout =
  args[0] === '--in' ? resolve(args.splice(0, 2)[1]) : fileURLToPath(new URL('../../..', import.meta.url))
const root = pathToFileURL(join(checkout, 'packages/')).href

/** The functions that were called, by file. */
function calledIn(scripts) {
  const files = new Map()
  for (const { url, functions } of scripts) {
    // Bundled libraries and the command's entry have no source here.
    if (!url.startsWith(root) || /\/(bench|bin|libraries)\//.test(url)) continue
    const isModule = ({ functionName, ranges: [{ startOffset }] }) => functionName === '' && startOffset === 0
    const called = functions.filter((each) => !isModule(each) && each.ranges.some(({ count }) => count > 0))
    if (called.length > 0) files.set(url.slice(root.length).replace('/dist/', '/src/').replace(/js$/, 'ts'), called)
  }
  return files
}

function ofCommand(command) {
  const folder = mkdtempSync(join(tmpdir(), 'walks-'))
  try {
    const env = { ...process.env, NODE_V8_COVERAGE: folder }
    const murmur = fileURLToPath(`${root}cli/bin/murmur.js`)
    const { status } = spawnSync(process.execPath, [murmur, ...command], { env, stdio: ['ignore', 2, 2] })
    if (status !== 0) throw new Error(`murmur ended with code ${status}`)
    return readdirSync(folder).flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')).result)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Two peers of this process that train on `size` zeros; what one of them and the channel between them run. */
async function ofRounds(size = 1000) {
  const load = (name) => import(`${root}${name}/dist/index.js`)
  const [core, algorithms, libp2p, topologies] = await Promise.all(
    ['core', 'algorithms', 'libp2p', 'topology'].map(load)
  )
  const names = ['a', 'b'].map(core.peerName)
  const topology = topologies.createTopology({ peers: names, graph: { kind: 'complete' } })
  const schema = [{ name: 'x', shape: [size] }]
  const work = (kind, result) => ({ kind, samples: 1, run: async () => result() })
  const vector = () => new Float32Array(size)
  const task = {
    schema,
    samples: 1,
    about: { model: 'numbers' },
    initialise: () => work('initialise', vector),
    gradient: () => work('gradient', () => ({ loss: 1, vector: vector() })),
    evaluate: () => work('evaluate', () => ({ loss: 1 }))
  }
  const create = async (self) => {
    const runSettings = { settings: { run: 'walk' }, schema, start: 'zero' }
    const identity = await libp2p.createIdentity()
    return libp2p.createPeer({ self, identity, topology, seed: 1, listen: ['/ip4/127.0.0.1/tcp/0'], runSettings })
  }
  const peers = await Promise.all(names.map(create))
  const list = peers.map(({ id, addresses }, k) => ({ name: names[k], id, addresses }))
  await Promise.all(peers.map((peer) => peer.connect(list, 10_000)))
  const inspector = new Session()
  inspector.connect()
  await inspector.post('Profiler.enable')
  const options = {
    algorithm: algorithms.dpsgd,
    workers: names,
    seed: 1,
    batchSize: 1,
    rounds: 40,
    finalRounds: 0,
    rate: () => 0.1,
    timeout: 10_000
  }
  let result
  const train = async (peer, k) => {
    for await (const { round } of algorithms.train(peer.fabric, task, options)) {
      if (k === 0 && round === 20)
        await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
      if (k === 0 && round === 30) ({ result } = await inspector.post('Profiler.takePreciseCoverage'))
    }
    await peer.close()
  }
  await Promise.all(peers.map(train))
  return result
}

const files = calledIn(args[0] === 'round' ? await ofRounds() : ofCommand(args))
const names = [...files.keys()].sort()
const packages = [...new Set(names.map((name) => name.split('/')[0]))]
const countOf = (name) => names.filter((file) => file.startsWith(`${name}/`)).length
if (isListed) for (const name of names) console.log(name)
const lines = names.map((name) => readFileSync(fileURLToPath(root + name), 'utf8').split('\n').length - 1)
console.log(
  `${names.length} files, ${lines.reduce((sum, each) => sum + each, 0)} lines: ${packages.map((name) => `${name} ${countOf(name)}`).join(', ')}`
)
process.exit(0)
