// Two cells of the map with real peers, compared with the simulator: 16 processes over libp2p, TCP and noise, on links
// that are shaped.
//
//   node studies/slow-links/map.mjs MAP.jsonl mean large
//   node studies/slow-links/real.mjs MAP.jsonl RESULTS.jsonl [REPEATS]
//
// The peers train the network of the map `large`, whose messages have their own size, with the settings that are the
// fastest there. So that two cores suffice for sixteen peers, everything is sixteen times as slow as in the map: a step
// takes 160 ms (a peer waits for the rest of that time), the links have a sixteenth of the rate and sixteen times the
// latency. That changes only the unit of time, in which the simulated times are the map's. No parameter is fitted.
//
// Real peers run as many rounds as simulated ones need to the target. The mean of the real models must have the target
// accuracy after the same round, and not before. The time of a merge is that of a round of a direct int8 all-reduce, on
// real peers too. A first run is not counted: much of the code is not compiled until then. Ends with an error if a time
// differs by more than 15 %.
import { fork } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { lengthOf, mean } from '@murmuration/vectors'
import Table from 'cli-table3'
import { bestOf } from './cells.mjs'
import { compute, peersOf, replay, tasksOf } from './engine.mjs'
import { direct } from './methods.mjs'
import { mapOf } from './networks.mjs'
import { openResults, targetsOf } from './results.mjs'

const [mapFile, file, repeats = 3] = process.argv.slice(2)
if (file === undefined) throw new Error('expected the results of the map, and the path of a file for the results')
const peers = peersOf(16)
const map = mapOf('large', peers)
const setup = { ...map.setup, judge: 'mean' }
const seed = 1
const slowed = 16
const tolerance = 0.15
/** In ms after all peers are ready: time for the message that says when to start. */
const beforeStart = 500

const slowedCell = (name) => {
  const cell = map.cells.find((each) => each.name === name)
  return { ...cell, bandwidth: cell.bandwidth / slowed, latency: cell.latency * slowed, perStep: cell.perStep * slowed }
}
const few = 'DiLoCo, all-reduce in few bits'
const cells = [
  { cell: slowedCell('20 Mbit/s, 50 ms'), names: [few, 'GASLoC, int8', 'Overlap merge, int8', 'D-PSGD'] },
  { cell: slowedCell('20 Mbit/s, 50 ms, stragglers'), names: [few, 'GASLoC, int8', 'Overlap merge, int8'] }
]

const { known: inMap } = openResults(mapFile)
const { once } = openResults(file)
const tasks = await tasksOf(peers, seed, setup.data)
const elements = lengthOf(tasks.union.schema)
const target = await targetsOf(once, setup)(seed)
const median = (list) => list.toSorted((left, right) => left - right)[(list.length - 1) >> 1]

const child = fileURLToPath(new URL('real-peer.mjs', import.meta.url))
const children = peers.map(() => fork(child, { serialization: 'advanced' }))
const failure = Promise.race(
  children.map((each) => new Promise((_, reject) => each.once('exit', (code) => reject(new Error(`a peer ended with code ${code}`))))) // oxfmt-ignore
)
failure.catch(() => {})
/** Resolves with the next message of a kind from each peer. */
function heard(kind) {
  const from = (each) =>
    new Promise((resolve) => {
      const take = (message) => {
        if (message.kind !== kind) return
        each.off('message', take)
        resolve(message)
      }
      each.on('message', take)
    })
  return Promise.race([Promise.all(children.map(from)), failure])
}
const tell = (message) => children.forEach((each) => each.send(message))
const loaded = heard('loaded')

/** Runs a method on real peers. Returns each peer's models and their times, in ms. */
async function onRealPeers({ algorithm, rate, codec, graph, options }, cell, rounds) {
  await loaded
  const method = { algorithm, rate, codec, graph, options }
  const folder = await mkdtemp(join(tmpdir(), 'real-peers-'))
  try {
    const files = peers.map((self) => join(folder, self))
    const [listening, ready, trained, ended] = ['listening', 'ready', 'trained', 'ended'].map(heard)
    for (const [k, each] of children.entries())
      each.send({ kind: 'run', self: peers[k], method, seed, setup, cell, rounds, models: files[k] })
    tell({ kind: 'peerList', peerList: (await listening).map(({ entry }) => entry) })
    await ready
    tell({ kind: 'go', at: performance.timeOrigin + performance.now() + beforeStart })
    const runs = await trained
    tell({ kind: 'end' })
    await ended
    return await Promise.all(runs.map(async ({ times }, k) => ({ times, models: modelsIn(await readFile(files[k])) })))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The models of a file, one after the other. */
function modelsIn({ buffer, byteOffset, byteLength }) {
  const numbers = new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength))
  return Array.from({ length: numbers.length / elements }, (_, k) => numbers.subarray(k * elements, (k + 1) * elements))
}

/** When real peers reach the target, in `round` rounds. */
async function realTime(method, cell, round) {
  const runs = await onRealPeers(method, cell, round)
  const accuracyAfter = async (count) => (await tasks.union.evaluate(mean(runs.map(({ models }) => models[count - 1]))).run()).accuracy // oxfmt-ignore
  const accuracy = await accuracyAfter(round)
  const before = await accuracyAfter(round - setup.every)
  if (accuracy < target || before >= target) throw new Error(`after round ${round} the mean of the real models has an accuracy of ${accuracy}, and ${before} before; expected ${target} between them`) // oxfmt-ignore
  return { ms: Math.max(...runs.map(({ times }) => times[round - 1])) }
}

/** After so many rounds of an all-reduce the next four are measured. */
const mergeRounds = [4, 8]

/** The time of a direct all-reduce in int8, without the step before. */
async function mergeTime(cell) {
  const method = { algorithm: 'all-reduce', rate: 0.1, codec: 'int8', options: direct }
  const [first, last] = mergeRounds
  const step = cell.perStep * Math.max(1, ...Object.values(cell.slow))
  return once(`merge | ${cell.name}`, async () => {
    const { sizes } = await compute({ method, seed, setup: { ...setup, rounds: 2 * last }, target: 2 })
    const [from, to] = await Promise.all(
      mergeRounds.map((round) => replay({ method, seed, setup, cell, round, sizes }))
    )
    const runs = await onRealPeers(method, cell, last)
    const ends = (round) => Math.max(...runs.map(({ times }) => times[round - 1]))
    return { simulated: (to - from) / (last - first) - step, real: (ends(last) - ends(first)) / (last - first) - step }
  })
}

const head = ['cell', 'method', 'setting', 'rounds', 'simulated, s', 'real, s', 'real / simulated', 'range']
const table = new Table({ head, style: { head: [] } })
const seconds = (ms) => (ms / 1000).toFixed(2)
const ratios = []
await onRealPeers({ algorithm: 'quantised-diloco', rate: 0.1, options: { period: 9, bits: 4 } }, cells[0].cell, 90)
for (const { cell, names } of cells) {
  const merge = await mergeTime(cell)
  table.push([cell.name, 'the merge', 'int8 all-reduce', '', seconds(merge.simulated), seconds(merge.real), (merge.real / merge.simulated).toFixed(3), '']) // oxfmt-ignore
  for (const { name, family, configs } of names.map((each) => map.methods.find((one) => one.name === each))) {
    const [place] = bestOf(inMap, name, cell.name, seed)
    if (place === undefined) {
      table.push([cell.name, name, 'not reached in the simulator', '', '', '', '', ''])
      continue
    }
    const line = inMap.get(`${name} | ${place} | ${seed}`)
    const ms = slowed * line.ms[cell.name]
    const runs = []
    for (let repeat = 0; repeat < repeats; repeat++)
      runs.push(await once(`${name} | ${place} | ${cell.name} | ${repeat}`, () => realTime(configs[place], cell, line.round))) // oxfmt-ignore
    const [ofMerge, ofRealMerge] = family === 'gossip' ? [merge.simulated, merge.real] : [0, 0]
    const simulated = ms + ofMerge
    const real = runs.map((run) => run.ms + ofRealMerge)
    const ratio = median(real) / simulated
    ratios.push(ratio)
    table.push([cell.name, name, JSON.stringify(configs[place]), line.round, seconds(simulated), seconds(median(real)), ratio.toFixed(3), `${seconds(Math.min(...real))} to ${seconds(Math.max(...real))}`]) // oxfmt-ignore
    console.log(table.toString())
  }
}
const worst = Math.max(...ratios.map((ratio) => Math.abs(ratio - 1)))
console.log(`off by at most ${(100 * worst).toFixed(1)} %, ${100 * tolerance} % allowed`)
if (worst > tolerance) process.exitCode = 1
for (const each of children) each.disconnect()
