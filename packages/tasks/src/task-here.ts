import type { Task, TaskDescription, TaskDual, TaskKernel, TaskRows, Work } from '@murmuration/core'
import { afterTurn } from '@murmuration/platform'
import { checkedEvaluation } from './checked-evaluation.js'
import { loadTask } from './load-task.js'
import { withGradientWeight } from './sample-weights.js'
import type { TaskWorker, ThreadWork } from './task-worker.js'

/** How many rows of a kernel are computed before messages may be let in. */
const maxKernelRows = 16

/** How long works may run before messages are let in, in milliseconds. */
const maxRun = 1

/**
 * Builds the described task in the calling thread: for tasks with keyed rows, whose gradients take microseconds, less
 * than a message to a thread takes; and for tasks with a kernel, which compares samples of messages with those of the
 * task. Between works, every millisecond, messages from the network are let in; a single
 * work is not interrupted.
 *
 * @throws InputError for a module that cannot be loaded, or what building the task throws
 */
export async function buildTaskHere(description: TaskDescription): Promise<TaskWorker> {
  const built = await loadTask(description)
  let lastYield = performance.now()
  const withYield = <Result>(work: Work<Result>): ThreadWork<Result> => ({
    kind: work.kind,
    samples: work.samples,
    run: async () => {
      if (performance.now() - lastYield > maxRun) {
        await new Promise<void>((resolve) => afterTurn(resolve))
        lastYield = performance.now()
      }
      return work.run()
    }
  })
  let task: Task = built
  return {
    schema: built.schema,
    samples: built.samples,
    about: { ...built.about, thread: 'the thread of the peer' },
    fingerprints: built.fingerprints,
    signature: built.signature,
    constantAnswer: built.constantAnswer,
    dual: built.dual && {
      width: built.dual.width,
      step: (v, a, order, more) => withYield((task.dual as TaskDual).step(v, a, order, more))
    },
    rows: built.rows && rowsHere(built.rows, withYield),
    kernel: built.kernel && kernelHere(built.kernel, withYield),
    initialise: (seed) => withYield(task.initialise(seed)),
    gradient: (parameters, batch, round) => withYield(task.gradient(parameters, batch, round)),
    evaluate: (parameters) => withYield(checkedEvaluation(task.evaluate(parameters), description)),
    weighGradients: async (factor) => void (task = withGradientWeight(built, factor)),
    close: async () => {}
  }
}

/** The rows of a task, whose gradients are computed through `here`. */
function rowsHere(rows: TaskRows, withYield: <Result>(work: Work<Result>) => Work<Result>): TaskRows {
  const { count, width, blockOf } = rows
  return {
    count,
    width,
    keysOf: (batch, round) => rows.keysOf(batch, round),
    gradient: (values, keys, batch, out, round) => withYield(rows.gradient(values, keys, batch, out, round)),
    ...(blockOf === undefined ? {} : { blockOf: (sample, blocks) => blockOf.call(rows, sample, blocks) })
  }
}

/** The kernel of a task, whose works are computed through `here`, the long ones in parts. */
function kernelHere(kernel: TaskKernel, withYield: <Result>(work: Work<Result>) => Work<Result>): TaskKernel {
  const { c, width } = kernel
  return {
    c,
    width,
    shardOf: (peer) => kernel.shardOf(peer),
    sample: (index) => kernel.sample(index),
    label: (index) => kernel.label(index),
    among: (points, out) => withYield(kernel.among(points, out)),
    accumulate: (points, factors, samples, sums, first) => ({
      ...kernel.accumulate(points, factors, samples, sums, first),
      run: async () => {
        for (let from = 0; from < points.length; from += maxKernelRows) {
          const to = from + maxKernelRows
          const part = kernel.accumulate(points.slice(from, to), factors.subarray(from, to), samples, sums, first)
          await withYield(part).run()
        }
      }
    })
  }
}
