/** Models in stages, trained by the records as they are: the peers of a line compute each gradient together. */
import {
  type Algorithm,
  algorithms,
  type PipelineSettings,
  Session,
  stepTime,
  type TrainingSettings
} from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import {
  type Fabric,
  NeighboursMissingError,
  type PeerName,
  peerName,
  type StageTask,
  type Work
} from '@murmuration/core'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { alone, createTopology, linesOf, unionOf } from '@murmuration/topology'
import { bodyOf } from '@murmuration/vectors'
import { type VectorMessage, vectorWire } from '@murmuration/wire'
import test, { type ExecutionContext } from 'ava'
import { caseOf } from './algorithm-cases.js'
import { namesOf, stageCount, taskOf } from './line-tasks.js'
import { inSimulator, overLibp2p } from './worlds.js'

const recordOf = (name: string) => algorithms.find((record) => record.name === name) as Algorithm

interface Run {
  readonly algorithm: Algorithm
  readonly lines?: number
  readonly splitSize?: number
  readonly schedule?: PipelineSettings['schedule']
  readonly more?: Partial<TrainingSettings>
}

function settingsOf({ algorithm, more }: Run, workers: readonly PeerName[]): TrainingSettings {
  const options = caseOf(algorithm.name).options
  const limits = { seed: 1, batchSize: 8, rounds: 4, finalRounds: 1, timeout: timeLimit(20_000) }
  return { algorithm, options, ...limits, rate: (k) => 0.3 / (1 + k), workers, ...more }
}

/** The stages' peers, the graphs among them, and the program of each peer. */
async function pipelineOf(run: Run) {
  const { algorithm, lines = 2, splitSize = 2, schedule = '1f1b' } = run
  const pipeline: PipelineSettings = { schedule, splitSize, lines: linesOf(namesOf(lines), stageCount) }
  const replicas = Array.from({ length: stageCount }, (_, stage) => pipeline.lines.map((line) => line[stage]))
  const topology = unionOf(replicas.map((peers) => graphOf(algorithm, peers)))
  const ofStage = replicas.map((workers) => ({ ...settingsOf(run, workers), pipeline }))
  const tasks = new Map<PeerName, StageTask>()
  for (const [line, peers] of pipeline.lines.entries())
    for (const [stage, peer] of peers.entries())
      tasks.set(peer, (await (await taskOf(lines, line)).stages?.of(stage, stage + 1)) as StageTask)
  const sessionOf = (fabric: Fabric<VectorMessage>) => {
    const stage = replicas.findIndex((peers) => peers.includes(fabric.self))
    return new Session(fabric, tasks.get(fabric.self) as StageTask, ofStage[stage])
  }
  return { replicas, topology, sessionOf }
}

function graphOf({ needs }: Algorithm, peers: readonly PeerName[]) {
  const kind = needs.graph === 'tree' ? 'star' : 'complete'
  return peers.length === 1 ? alone(peers[0]) : createTopology({ peers, graph: { kind } })
}

interface Trained {
  /** The final parameters by line, the stages one after the other. */
  readonly ends: readonly Float32Array[]
  readonly losses: ReadonlyMap<PeerName, readonly (number | undefined)[]>
}

async function byLines(world: typeof inSimulator, run: Run): Promise<Trained> {
  const { replicas, topology, sessionOf } = await pipelineOf(run)
  const ends = new Map<PeerName, Float32Array>()
  const losses = new Map<PeerName, (number | undefined)[]>()
  await world({ topology, seed: 11, length: 5000, reach: 'everyone' }, async (fabric) => {
    const found: (number | undefined)[] = []
    for await (const { parameters, loss } of sessionOf(fabric).steps()) {
      ends.set(fabric.self, parameters.slice())
      found.push(loss)
    }
    losses.set(fabric.self, found)
  })
  const joined = (line: number) =>
    Float32Array.from(replicas.flatMap((peers) => [...(ends.get(peers[line]) as Float32Array)]))
  return { ends: replicas[0].map((_, line) => joined(line)), losses }
}

/** The same without stages: each line is one peer. */
async function byPeers(run: Run): Promise<Trained> {
  const { algorithm, lines = 2 } = run
  const workers = linesOf(namesOf(lines), stageCount).map(([first]) => first)
  const settings = settingsOf(run, workers)
  const ends: Float32Array[] = []
  const losses = new Map<PeerName, (number | undefined)[]>()
  await inSimulator({ topology: graphOf(algorithm, workers), seed: 11, length: 5000 }, async (fabric) => {
    const line = workers.indexOf(fabric.self)
    const found: (number | undefined)[] = []
    for await (const { parameters, loss } of new Session(fabric, await taskOf(lines, line), settings).steps()) {
      ends[line] = parameters.slice()
      found.push(loss)
    }
    losses.set(fabric.self, found)
  })
  return { ends, losses }
}

/** Whether vectors are equal within so much of the largest number. */
function areNear(
  t: ExecutionContext,
  found: readonly Float32Array[],
  expected: readonly Float32Array[],
  limit: number
) {
  for (const [line, x] of expected.entries()) {
    const largest = x.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    const worst = x.reduce((most, value, k) => Math.max(most, Math.abs(value - found[line][k])), 0)
    t.true(worst <= limit * largest, `line ${line}: ${worst}, the largest is ${largest}`)
  }
}

for (const schedule of ['gpipe', '1f1b'] as const)
  test.serial(
    `lines that do not split batches train as peers with the whole model do, bit for bit: ${schedule}`,
    async (t) => {
      const run = { algorithm: recordOf('dpsgd'), splitSize: 8, schedule }
      const [lines, peers] = [await byLines(inSimulator, run), await byPeers(run)]
      t.deepEqual(lines.ends, peers.ends)
      // All stages know the loss.
      for (const [peer, losses] of lines.losses) {
        const whole = peers.losses.get(Number(peer.slice(1)) < stageCount ? peerName('p0') : peerName('p3')) ?? []
        t.is(losses.length, whole.length)
        for (const [k, loss] of whole.entries()) t.true(Math.abs((losses[k] ?? 0) - (loss ?? 0)) < 1e-6)
      }
    }
  )

test.serial(
  'micro-batches differ from whole batches by rounding alone, also with clipping, decay and accumulation',
  async (t) => {
    const momentum = { name: 'sgd', momentum: 0.9 }
    const more = { clip: 0.5, weightDecay: 0.01, accumulate: 2, rounds: 8, finalRounds: 0, optimiser: momentum }
    for (const name of ['all-reduce', 'local-sgd'])
      for (const [schedule, splitSize] of [
        ['gpipe', 4],
        ['1f1b', 1]
      ] as const) {
        const run = { algorithm: recordOf(name), splitSize, schedule, more }
        areNear(t, (await byLines(inSimulator, run)).ends, (await byPeers(run)).ends, 2e-6)
      }
  }
)

/** A record for each way of exchanging; the others were compared once, and gave the same bits too. */
for (const name of [
  'dpsgd',
  'sgp',
  'gradient-tracking',
  'choco',
  'relay-sgd',
  'moshpit',
  'quantised-diloco',
  'all-reduce'
])
  test.serial(`${recordOf(name).title} gives the same bits in both worlds on 3 stages × 2 lines`, async (t) => {
    const run = { algorithm: recordOf(name), more: { rounds: 3, clip: 1 } }
    const simulated = await byLines(inSimulator, run)
    const real = await byLines(overLibp2p, run)
    for (const [line, x] of simulated.ends.entries())
      t.is(Buffer.compare(bodyOf(real.ends[line]), bodyOf(x)), 0, `line ${line}`)
  })

test.serial('virtual time is that of the schedule, with and without links', async (t) => {
  const costs = [
    { forward: 3, backward: 6 },
    { forward: 5, backward: 10 },
    { forward: 0, backward: 8 }
  ]
  const cost = ({ kind }: Work<unknown>, peer: PeerName) =>
    kind === 'forward' || kind === 'backward' ? costs[Number(peer.slice(1))][kind] : 0
  for (const schedule of ['gpipe', '1f1b'] as const)
    for (const [splitSize, latency] of [
      [8, 0],
      [4, 0],
      [2, 1],
      [1, 7]
    ]) {
      const run = { algorithm: recordOf('sgd'), lines: 1, splitSize, schedule, more: { rounds: 3, finalRounds: 0 } }
      const { topology, sessionOf } = await pipelineOf(run)
      const links = uniformLinks({ latency, bandwidth: Infinity })
      const { elapsed } = await simulate({ topology, seed: 1, wire: vectorWire, links, cost }, async (fabric) => {
        for await (const _ of sessionOf(fabric).steps()) continue
      })
      const hop = { latency, transfer: 0 }
      const { time } = stepTime({ schedule, stages: stageCount, microBatches: 8 / splitSize }, costs, [hop, hop])
      t.true(Math.abs(elapsed - 3 * time) < 1e-9, `${schedule} ${splitSize}: ${elapsed}, expected ${3 * time}`)
    }
})

/** Runs one line in the simulator; what `instead` does in place of a peer's session is not awaited by the others. */
async function oneLine(instead: Partial<Record<string, (fabric: Fabric<VectorMessage>) => Promise<void>>>) {
  const run = { algorithm: recordOf('sgd'), lines: 1, more: { rounds: 2, finalRounds: 0, timeout: 500 } }
  const { topology, sessionOf } = await pipelineOf(run)
  const links = uniformLinks({ latency: 1, bandwidth: Infinity })
  const ends = new Map<PeerName, Float32Array>()
  const options = { topology, seed: 1, wire: vectorWire, links, cost: () => 1 }
  const { rejected, elapsed } = await simulate(options, async (fabric) => {
    await instead[fabric.self]?.(fabric)
    if (fabric.self in instead && fabric.self !== 'p0') return
    for await (const { parameters } of sessionOf(fabric).steps()) ends.set(fabric.self, parameters.slice())
  })
  return { rejected, elapsed, ends }
}

test.serial('a stage that sends nothing is named when the timeout is over', async (t) => {
  const error = await t.throwsAsync(oneLine({ p1: (fabric) => fabric.sleep(60_000) as Promise<void> }), {
    instanceOf: NeighboursMissingError
  })
  t.is(error?.message, 'p1, stage 1 of the line, has sent nothing for 0.5 s in round 0')
})

test.serial('passes that make no sense are counted against their sender, and change nothing', async (t) => {
  const pass = { kind: 96, round: 0, part: 3, numbers: [0, 0], vector: new Float32Array(14) }
  const bad: readonly VectorMessage[] = [
    { ...pass, numbers: [-1, 0] },
    { ...pass, numbers: [0, 1] },
    { ...pass, part: 5 },
    { ...pass, vector: new Float32Array(13) },
    { ...pass, part: 4 },
    { ...pass, kind: 97 },
    { ...pass, round: 1, numbers: [0, 0, 1], part: 4, vector: new Float32Array(0) },
    { ...pass, round: 1, numbers: [0, 0, 1], part: 4, vector: new Float32Array(0) }
  ]
  const { ends } = await oneLine({})
  const tried = await oneLine({
    p0: async (fabric) => {
      for (const message of bad) fabric.send(peerName('p1'), message)
    }
  })
  // All but the first of the last two, which is of the next step.
  t.is(tried.rejected.get(peerName('p0')), bad.length - 1)
  t.deepEqual(tried.ends, ends)
})
