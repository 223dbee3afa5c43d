/**
 * The program of a task's thread: builds the task, then computes what it is asked for. Started by `startTaskWorker`.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { InputError, invariant, type Task } from '@murmuration/core'
import { lengthOf } from '@murmuration/vectors'
import { checkedEvaluation } from './checked-evaluation.js'
import { loadTask } from './load-task.js'
import { withGradientWeight } from './sample-weights.js'
import {
  failureOf,
  type SharedNumbers,
  type WorkerAnswer,
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
    let task = built
    const ready = readyOf(task)
    const result = new Float32Array(ready.result)
    port.on('message', (request: WorkerRequest) => {
      if (request.kind === 'weigh') task = withGradientWeight(built, request.factor)
      void compute(task, result, request)
        .catch(failureOf)
        .then((answer) => port.postMessage(answer))
    })
    port.postMessage(ready)
  } catch (error) {
    port.postMessage(failureOf(error))
  }
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
    evaluateSamples: task.evaluate(new Float32Array(length)).samples,
    initialiseSamples: task.initialise(0).samples,
    parameters: new SharedArrayBuffer(4 * length),
    result: new SharedArrayBuffer(4 * length)
  }
}

async function compute(task: Task, result: Float32Array, request: WorkerRequest): Promise<WorkerAnswer> {
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
      return { kind: 'weigh' }
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
