/**
 * The program of a task's thread: builds the task, then computes what it is asked for. Started by `startTaskWorker`.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { InputError, invariant, type StageTask, type StageWorks, type Task } from '@murmuration/core'
import { lengthOf } from '@murmuration/vectors'
import { checkedEvaluation } from './checked-evaluation.js'
import { loadTask } from './load-task.js'
import { withGradientWeight } from './sample-weights.js'
import {
  failureOf,
  type SharedNumbers,
  type StageFacts,
  type WorkerAnswer,
  type WorkerMemory,
  type WorkerReady,
  type WorkerRequest,
  type WorkerStart
} from './worker-protocol.js'

async function main(): Promise<void> {
  const port = parentPort
  invariant(port !== null, 'this module runs in a worker thread')
  if ((workerData as WorkerStart).userModule !== undefined) keepFromExiting()
  try {
    const built = await loadTask(workerData as WorkerStart)
    const ready = readyOf(built)
    const computing: ThreadState = { built, task: built, result: new Float32Array(ready.memory.result) }
    port.on('message', (request: WorkerRequest) => {
      void compute(computing, request)
        .catch(failureOf)
        .then((answer) => port.postMessage(answer))
    })
    port.postMessage(ready)
  } catch (error) {
    port.postMessage(failureOf(error))
  }
}

/** What the thread computes. */
interface ThreadState {
  /** The task, or the stage of it that was chosen. */
  built: Task | StageTask
  /** The same, with its gradients weighed. */
  task: Task | StageTask
  /** Where gradients and initial parameters are written. */
  result: Float32Array
}

function keepFromExiting(): void {
  const { exit } = process
  process.exit = refuseToExit
  // Node itself calls `process.exit` to end a thread after an uncaught error.
  process.once('uncaughtExceptionMonitor', () => {
    process.exit = exit
  })
}

/** If a user's module ended the thread, nothing would say where. */
function refuseToExit(code: number | string | null = 0): never {
  throw new InputError(`process.exit(${code}) is called, which does not end the run; throw an error instead`)
}

function readyOf(task: Task): WorkerReady {
  const length = lengthOf(task.schema)
  return {
    kind: 'ready',
    schema: task.schema,
    samples: task.samples,
    about: task.about,
    fingerprints: task.fingerprints ?? {},
    signature: task.signature,
    constantAnswer: task.constantAnswer,
    mustAnswerBeforeEnd: task.mustAnswerBeforeEnd ?? false,
    dualWidth: task.dual?.width,
    generates: task.generate !== undefined,
    parts: task.stages?.parts,
    evaluateSamples: task.evaluate(new Float32Array(length)).samples,
    initialiseSamples: task.initialise(0).samples,
    memory: memoryFor(length)
  }
}

/** It takes up no room until it is written to. */
function memoryFor(length: number): WorkerMemory {
  return { parameters: new SharedArrayBuffer(4 * length), result: new SharedArrayBuffer(4 * length) }
}

async function chooseStage(computing: ThreadState, from: number, to: number): Promise<StageFacts> {
  const { stages } = computing.built
  invariant(stages !== undefined, 'the task has no stages, or is one')
  const built = await stages.of(from, to)
  const memory = memoryFor(lengthOf(built.schema))
  Object.assign(computing, { built, task: built, result: new Float32Array(memory.result) })
  const { inputs, outputs, targets, isFirst, isLast } = built.stage
  return { schema: built.schema, memory, inputs, outputs, targets, isFirst, isLast }
}

function stageOf(task: Task | StageTask): StageWorks {
  invariant('stage' in task, 'the task is no stage')
  return task.stage
}

async function compute(computing: ThreadState, request: WorkerRequest): Promise<WorkerAnswer> {
  const { task, result } = computing
  switch (request.kind) {
    case 'initialise':
      keep(result, await task.initialise(request.seed).run())
      return { kind: 'initialise' }
    case 'gradient': {
      const { loss, vector } = await task.gradient(numbersAt(request.at), request.batch, request.round).run()
      keep(result, vector)
      return { kind: 'gradient', loss }
    }
    case 'dual': {
      invariant(task.dual !== undefined, 'the task has no dual')
      const { at, a, order, options } = request
      const { vector, ...rest } = await task.dual.step(numbersAt(at), a, order, options).run()
      keep(result, vector)
      return { kind: 'dual', ...rest }
    }
    case 'generate':
      invariant(task.generate !== undefined, 'the task generates no text')
      return { kind: 'generate', text: await task.generate(numbersAt(request.at), request.seed).run() }
    case 'weigh':
      computing.task = withGradientWeight(computing.built, request.factor)
      return { kind: 'weigh' }
    case 'stage':
      return { kind: 'stage', stage: await chooseStage(computing, request.from, request.to) }
    case 'take':
      return { kind: 'take', microBatch: await stageOf(task).take(request.samples).run() }
    case 'forward': {
      const { at, microBatch, pass } = request
      return { kind: 'forward', microBatch: await stageOf(task).forward(numbersAt(at), microBatch, pass).run() }
    }
    case 'backward': {
      const { at, microBatch, pass, outputs } = request
      const work = stageOf(task).backward(numbersAt(at), microBatch, pass, outputs)
      const { loss, vector, inputs } = await work.run()
      keep(result, vector)
      return { kind: 'backward', loss, inputs }
    }
    case 'evaluate': {
      const work = checkedEvaluation(task.evaluate(numbersAt(request.at)), workerData as WorkerStart)
      return { kind: 'evaluate', evaluation: await work.run() }
    }
  }
}

function numbersAt({ buffer, offset, length }: SharedNumbers): Float32Array {
  return new Float32Array(buffer, offset, length)
}

function keep(result: Float32Array, vector: Float32Array): void {
  if (vector.length !== result.length)
    throw new InputError(`the task computed ${vector.length} numbers, but its schema has ${result.length}`)
  result.set(vector)
}

await main()
