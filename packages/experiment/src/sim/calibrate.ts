import type { Task } from '@murmuration/core'
import { median } from 'simple-statistics'
import { TaskSets } from './task-sets.js'
import type { Scenario } from './scenario.js'
import { runsOf, topologyOf } from './sweep.js'

/** The times of computing on this machine, in milliseconds. */
export interface Calibration {
  readonly perSample: number
  readonly perStep: number
}

/** The ratio of the two batch sizes from which the costs per sample and per step are computed. */
const largerBatch = 4

const warmUps = 200
const repeats = 9

/** Measures the gradient of the scenario's task on this machine, with its batch and with a larger one. */
export async function calibrate(scenario: Scenario, now: () => number): Promise<Calibration> {
  const [run] = runsOf(scenario)
  const { peers } = topologyOf(scenario, run).topology
  const task = (await new TaskSets(1).of(run.setting.learning, peers, run.seed)).of(peers[0])
  const { batch } = scenario.training
  const small = await computeWith(task, batch, now)
  const large = await computeWith(task, batch * largerBatch, now)
  const perSample = Math.max(0, (large - small) / (batch * (largerBatch - 1)))
  return { perSample, perStep: Math.max(0, small - perSample * batch) }
}

/** Milliseconds per gradient on `batch` samples: the median over several intervals of at least a few milliseconds each. */
async function computeWith(task: Task, batch: number, now: () => number): Promise<number> {
  const x = await task.initialise(1).run()
  const samples = Uint32Array.from({ length: batch }, (_, index) => index % task.samples)
  const steps = async (count: number) => {
    const start = now()
    for (let k = 0; k < count; k++) await task.gradient(x, samples).run()
    return (now() - start) / count
  }
  const each = await steps(warmUps)
  const count = Math.max(10, Math.ceil(20 / Math.max(each, 1e-6)))
  const times: number[] = []
  for (let k = 0; k < repeats; k++) times.push(await steps(Math.min(count, 100_000)))
  return median(times)
}
