import { setImmediate } from 'node:timers/promises'
import type { Task } from '@murmuration/core'
import { median } from 'simple-statistics'
import { type OwnCosts, ownCostsOf, ownTime } from './own-time.js'
import { TaskSets } from '../run/task-sets.js'
import type { Method, Scenario } from '../scenario/scenario.js'
import { settingsOf, topologyOf } from '../scenario/sweep.js'
import { sharersOf } from '../../training/pipeline.js'

/** The times of computing on this machine, in milliseconds. */
export interface Calibration {
  readonly perSample: number
  readonly perStep: number
}

/** The ratio of the two batch sizes from which the costs per sample and per step are computed. */
const largerBatch = 4

const warmUps = 200
const repeats = 9
/** The shortest interval, in milliseconds. Large models take longer for a single gradient. */
const leastInterval = 20
/** No interval begins after so many milliseconds. */
const longEnough = 2000

/** Clocks that count milliseconds. */
export interface ProcessClocks {
  readonly now: () => number
  /** Of this process: other processes do not make it longer. */
  readonly processorTime: () => number
}

const machineClocks: ProcessClocks = {
  now: () => performance.now(),
  processorTime: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
}

/**
 * The scenario with times of computing that are measured on this machine: those of a gradient, and what each method
 * takes itself, unless it says so. In the first setting, with the first seed. Rejects with the reason of `signal` when
 * that is aborted, after the gradient or the method at hand.
 */
export async function calibrated(
  scenario: Scenario,
  signal?: AbortSignal,
  clocks: ProcessClocks = machineClocks
): Promise<Scenario> {
  const times = await calibrate(scenario, clocks.now, signal)
  const [setting] = settingsOf(scenario)
  const [seed] = scenario.seeds
  const tasks = new TaskSets(1)
  const known = new Map<string, OwnCosts>()
  const methods: Method[] = []
  for (const method of scenario.methods) {
    signal?.throwIfAborted()
    const run = { setting, method, seed }
    const key = costKey(method)
    const { topology, pipeline } = topologyOf(scenario, run)
    // What a method takes of stages is not measured: gradients that are there already pass through no stages.
    if (pipeline !== undefined) {
      methods.push(method)
      continue
    }
    const taskSet = await tasks.of(setting.learning, topology.peers, seed)
    const costs = known.get(key) ?? (await ownCostsOf(scenario, run, taskSet, clocks.processorTime))
    known.set(key, costs)
    methods.push({ ...method, ownTime: method.ownTime ?? ownTime(costs, method) })
  }
  return { ...scenario, computing: { ...scenario.computing, ...times }, methods }
}

/** Methods that differ in nothing but names, rates and the period of local steps have the same costs. */
function costKey(method: Method): string {
  return JSON.stringify({
    ...method,
    label: '',
    name: '',
    rate: undefined,
    ownTime: undefined,
    algorithm: { ...method.algorithm, period: undefined },
    training: { ...method.training, rate: undefined, algorithm: undefined }
  })
}

/**
 * Measures the gradient of the scenario's task on this machine, with its batch and with a larger one. Takes a few
 * seconds, or a gradient of each batch. Rejects with the reason of `signal` when that is aborted, after the gradient at
 * hand.
 */
export async function calibrate(scenario: Scenario, now: () => number, signal?: AbortSignal): Promise<Calibration> {
  const [setting] = settingsOf(scenario)
  const [method] = scenario.methods
  const peers = sharersOf(topologyOf(scenario, { setting, method }))
  const task = (await new TaskSets(1).of(setting.learning, peers, scenario.seeds[0])).of(peers[0])
  const { batch } = scenario.training
  const x = await task.initialise(1).run()
  const small = await computeWith(task, x, batch, now, signal)
  const large = await computeWith(task, x, batch * largerBatch, now, signal)
  const perSample = Math.max(0, (large - small) / (batch * (largerBatch - 1)))
  return { perSample, perStep: Math.max(0, small - perSample * batch) }
}

/** Milliseconds per gradient at `x` on `batch` samples: the median over several intervals. */
async function computeWith(
  task: Task,
  x: Float32Array,
  batch: number,
  now: () => number,
  signal?: AbortSignal
): Promise<number> {
  const samples = Uint32Array.from({ length: batch }, (_, index) => index % task.samples)
  const start = now()
  /** Ends after so many gradients, or at a time. */
  const steps = async (count: number, end: number) => {
    const begin = now()
    let taken = 0
    for (; taken < count && (taken === 0 || now() < end); taken++) {
      await task.gradient(x, samples).run()
      // Signals arrive between two turns of the event loop.
      if (now() > begin + leastInterval) await setImmediate()
      signal?.throwIfAborted()
    }
    return (now() - begin) / taken
  }
  const each = await steps(warmUps, start + longEnough / 2)
  if (each > longEnough) return each
  const count = Math.min(100_000, Math.max(10, Math.ceil(leastInterval / Math.max(each, 1e-6))))
  const times: number[] = []
  for (let k = 0; k < repeats && (k === 0 || now() < start + longEnough); k++)
    times.push(await steps(count, start + longEnough))
  return median(times)
}
