/** How long the parts of a model take on this machine. */
import { setImmediate } from 'node:timers/promises'
import type { StageTask, TaskStages, Work } from '@murmuration/core'
import { median } from 'simple-statistics'

/** What a pass takes, in milliseconds: `perPass + samples · perSample`. */
export interface PassTime {
  readonly perPass: number
  readonly perSample: number
}

/** The passes of one part. The last part of a model has no forward pass of its own. */
export interface PartTimes {
  readonly forward: PassTime
  /** With the forward pass that is computed again. */
  readonly backward: PassTime
}

/** The first pass allocates memory, and is not counted. */
const repeats = 4
/** No further pass of a part begins after so many milliseconds. */
const longEnough = 2000

const noTime: PassTime = { perPass: 0, perSample: 0 }

/** A part with its parameters, and micro-batches of two sizes. */
interface MeasuredPart {
  readonly task: StageTask
  readonly x: Float32Array
  readonly sizes: readonly number[]
}

/**
 * Measures each part once, with micro-batches of a sample and of a batch. Only one part is in memory at a time. Rejects
 * with the reason of `signal` when that is aborted, after the pass at hand.
 */
export async function partTimes(stages: TaskStages, batch: number, signal: AbortSignal): Promise<readonly PartTimes[]> {
  const sizes = batch === 1 ? [1] : [1, batch]
  const times: PartTimes[] = []
  let inputs: readonly Float32Array[] = []
  for (const index of stages.parts.keys()) {
    const task = await stages.of(index, index + 1)
    const part = { task, x: await task.initialise(1).run(), sizes }
    const { stage } = task
    if (stage.isFirst)
      inputs = await Promise.all(sizes.map(async (size) => stage.take(samplesOf(size, task.samples)).run()))
    const given = inputs
    const forward = stage.isLast ? noTime : await passTime(part, (at) => stage.forward(part.x, given[at], pass), signal)
    const outputs = (at: number) => (stage.isLast ? undefined : new Float32Array(sizes[at] * stage.outputs).fill(1e-3))
    const backward = await passTime(part, (at) => stage.backward(part.x, given[at], pass, outputs(at)), signal)
    times.push({ forward, backward })
    if (!stage.isLast)
      inputs = await Promise.all(given.map(async (each) => (await stage.forward(part.x, each, pass).run()).slice()))
  }
  return times
}

const pass = { round: 0, microBatch: 0 }

function samplesOf(size: number, count: number): Uint32Array {
  return Uint32Array.from({ length: size }, (_, index) => index % count)
}

/** The line through the medians of both sizes. */
async function passTime(
  { sizes }: MeasuredPart,
  work: (at: number) => Work<unknown>,
  signal: AbortSignal
): Promise<PassTime> {
  const times: number[] = []
  for (const at of sizes.keys()) times.push(await timeOf(() => work(at), signal))
  const [small, large = small] = times
  const perSample = sizes.length === 1 ? 0 : Math.max(0, (large - small) / (sizes[1] - sizes[0]))
  return { perPass: Math.max(0, small - perSample * sizes[0]), perSample }
}

async function timeOf(work: () => Work<unknown>, signal: AbortSignal): Promise<number> {
  const begin = performance.now()
  const times: number[] = []
  for (let k = 0; k < repeats && (k < 2 || performance.now() < begin + longEnough); k++) {
    const start = performance.now()
    await work().run()
    if (k > 0) times.push(performance.now() - start)
    // Signals arrive between two turns of the event loop.
    await setImmediate()
    signal.throwIfAborted()
  }
  return median(times)
}
