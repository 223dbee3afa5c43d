import {
  type Evaluation,
  type Gradient,
  invariant,
  type StageWorks,
  type Task,
  type TaskStages,
  type TaskDescription,
  type TaskDual,
  type Work
} from '@murmuration/core'
import { TaskThread, type TaskWorkerOptions } from './task-thread.js'
import { ThreadVectors } from './thread-vectors.js'
import type { StageFacts, WorkerAnswer, WorkerMessage, WorkerReady } from './worker-protocol.js'

/** A task that computes in a thread of its own. */
export interface TaskWorker extends Task {
  initialise(seed: number): ThreadWork<Float32Array>
  gradient(parameters: Float32Array, batch: Uint32Array, round?: number): ThreadWork<Gradient>
  evaluate(parameters: Float32Array): ThreadWork<Evaluation>
  generate?(parameters: Float32Array, seed: number): ThreadWork<string>
  /** Multiplies all later gradients by `factor`. */
  weighGradients(factor: number): Promise<void>
  /**
   * Terminates the thread, whatever it does; one whose task must answer before it ends is given 10 s for that.
   * Unanswered requests reject at once, with a StoppedError.
   */
  close(): Promise<void>
  /** Present where the model may be cut. From then on the thread computes the stage in place of the whole. */
  readonly stages?: WorkerStages | undefined
}

/** The stages of a task that computes in a thread of its own. */
interface WorkerStages extends TaskStages {
  of(from: number, to: number): Promise<StageTaskWorker>
}

/** A stage of a task that computes in a thread of its own. */
export interface StageTaskWorker extends TaskWorker {
  readonly stage: StageWorks
}

/** Work that another thread computes. */
export interface ThreadWork<Result> extends Work<Result> {
  run(): Promise<Result>
}

/**
 * Builds the described task in a worker thread, so that the calling thread stays free for the network while gradients
 * are computed. Requests are answered one after the other in the order of their arrival. Parameters in memory that
 * threads share are read in place; others are copied when a request's turn comes. The gradient lies in shared memory.
 *
 * Rejects with what building the task threw. When the thread ends, all pending requests reject with the reason.
 */
export async function startTaskWorker(
  description: TaskDescription,
  options: TaskWorkerOptions = {}
): Promise<TaskWorker> {
  const thread = new TaskThread(description, options)
  try {
    const ready = await thread.next()
    invariant(ready.kind === 'ready', 'the first message of the thread is not "ready"')
    return taskOf(thread, ready)
  } catch (error) {
    await thread.close()
    throw error
  }
}

function taskOf(thread: TaskThread, ready: WorkerReady): TaskWorker {
  const vectors = new ThreadVectors(ready.schema, ready.memory)
  const stageOf = async (from: number, to: number) => {
    const { stage } = await thread.inTurn(async () => expect(await thread.ask({ kind: 'stage', from, to }), 'stage'))
    return stageTask(thread, { ...ready, ...stage }, stage)
  }
  return {
    ...(ready.parts && { stages: { parts: ready.parts, of: stageOf } }),
    schema: ready.schema,
    samples: ready.samples,
    about: { ...ready.about, thread: 'a thread of its own' },
    fingerprints: ready.fingerprints,
    signature: ready.signature,
    constantAnswer: ready.constantAnswer,
    initialise: (seed) => ({
      kind: 'initialise',
      samples: ready.initialiseSamples,
      run: () =>
        thread.inTurn(async () => {
          const answer = expect(await thread.ask({ kind: 'initialise', seed }), 'initialise')
          return Float32Array.from(vectors.vectorOf(answer))
        })
    }),
    gradient: (values, batch, round = 0) => ({
      kind: 'gradient',
      samples: batch.length,
      run: () =>
        thread.inTurn(async () => {
          const at = vectors.placeOf(values)
          const request = { kind: 'gradient', at, batch: batch.slice(), round } as const
          const answer = expect(await thread.ask(request), 'gradient')
          return { loss: answer.loss, vector: vectors.vectorOf(answer) }
        })
    }),
    evaluate: (values) => ({
      kind: 'evaluate',
      samples: ready.evaluateSamples,
      run: () =>
        thread.inTurn(async () => {
          const at = vectors.placeOf(values)
          return expect(await thread.ask({ kind: 'evaluate', at }), 'evaluate').evaluation
        })
    }),
    dual: ready.dualWidth === undefined ? undefined : dualOf(thread, ready.dualWidth, vectors),
    ...(ready.generates && {
      generate: (values, seed) => ({
        kind: 'generate',
        samples: 1,
        run: () =>
          thread.inTurn(async () => {
            const at = vectors.placeOf(values)
            return expect(await thread.ask({ kind: 'generate', at, seed }), 'generate').text
          })
      })
    }),
    weighGradients: (factor) =>
      thread.inTurn(async () => {
        expect(await thread.ask({ kind: 'weigh', factor }), 'weigh')
      }),
    close: () => thread.close()
  }
}

/** The dual of a task in its thread. Its variables, unlike the parameters, are copied. */
function dualOf(thread: TaskThread, width: number, vectors: ThreadVectors): TaskDual {
  return {
    width,
    step: (v, a, order, options) => ({
      kind: 'dual',
      samples: order.length,
      run: () =>
        thread.inTurn(async () => {
          const request = { kind: 'dual', at: vectors.placeOf(v), a: a.slice(), order, options } as const
          const { kind: _, ...answer } = expect(await thread.ask(request), 'dual')
          return { ...answer, vector: vectors.vectorOf(answer) }
        })
    })
  }
}

/** The stage that the thread computes now, in place of the whole task. */
function stageTask(thread: TaskThread, ready: WorkerReady, facts: StageFacts): StageTaskWorker {
  const { inputs, outputs, targets, isFirst, isLast } = facts
  const { stages: _, ...task } = taskOf(thread, ready)
  const vectors = new ThreadVectors(facts.schema, facts.memory)
  const rowsOf = (microBatch: Float32Array) => microBatch.length / (inputs + targets)
  return {
    ...task,
    stage: {
      ...{ inputs, outputs, targets, isFirst, isLast },
      take: (samples) => ({
        kind: 'take',
        samples: samples.length,
        run: () =>
          thread.inTurn(
            async () => expect(await thread.ask({ kind: 'take', samples: samples.slice() }), 'take').microBatch
          )
      }),
      forward: (values, microBatch, pass) => ({
        kind: 'forward',
        samples: rowsOf(microBatch),
        run: () =>
          thread.inTurn(async () => {
            const request = { kind: 'forward', at: vectors.placeOf(values), microBatch, pass } as const
            return expect(await thread.ask(request), 'forward').microBatch
          })
      }),
      backward: (values, microBatch, pass, gradient) => ({
        kind: 'backward',
        samples: rowsOf(microBatch),
        run: () =>
          thread.inTurn(async () => {
            const at = vectors.placeOf(values)
            const request = { kind: 'backward', at, microBatch, pass, outputs: gradient } as const
            const answer = expect(await thread.ask(request), 'backward')
            return { loss: answer.loss, vector: vectors.vectorOf(answer), inputs: answer.inputs }
          })
      })
    }
  }
}

function expect<Kind extends WorkerAnswer['kind']>(
  message: WorkerMessage,
  kind: Kind
): Extract<WorkerAnswer, { kind: Kind }> {
  invariant(message.kind === kind, () => `the task's thread answered ${message.kind} to ${kind}`)
  return message as Extract<WorkerAnswer, { kind: Kind }>
}
