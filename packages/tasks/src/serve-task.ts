import { InputError, invariant, type StageTask, type StageWorks, type Task } from '@murmuration/core'
import { provideFiles } from '@murmuration/data'
import { hasSharedMemory, newBuffer, ownThread } from '@murmuration/platform'
import { lengthOf } from '@murmuration/vectors'
import { checkedEvaluation } from './checked-evaluation.js'
import { loadTask, type TaskModules } from './load-task.js'
import { withGradientWeight } from './sample-weights.js'
import { movedWith } from './thread-vectors.js'
import {
  failureOf,
  type StageFacts,
  type VectorPlace,
  type WorkerAnswer,
  type WorkerMemory,
  type WorkerReady,
  type WorkerRequest,
  type WorkerStart
} from './worker-protocol.js'

/**
 * The program of a thread that `startTaskWorker` has started: builds the task, then computes what it is asked for.
 *
 * @param modules - of tasks in other packages, by the names that descriptions give them
 * @param begin - called with the start before anything else
 */
export async function serveTask(
  modules: TaskModules = {},
  begin: (start: WorkerStart) => void = () => {}
): Promise<void> {
  const thread = ownThread()
  try {
    const start = (await thread.start) as WorkerStart
    begin(start)
    provideFiles(start.files ?? [])
    const built = await loadTask(start, modules)
    const ready = readyOf(built)
    const computing: ThreadState = { start, built, task: built, result: resultIn(ready.memory) }
    thread.listen((request) => {
      void compute(computing, request as WorkerRequest)
        .catch(failureOf)
        .then((answer) => thread.post(answer, movedWith(answer)))
    })
    thread.post(ready)
  } catch (error) {
    thread.post(failureOf(error))
  }
}

/** What the thread computes. */
interface ThreadState {
  readonly start: WorkerStart
  /** The task, or the stage of it that was chosen. */
  built: Task | StageTask
  /** The same, with its gradients weighed. */
  task: Task | StageTask
  /** Where gradients and initial parameters are written, if threads share memory. */
  result: Float32Array | undefined
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
function memoryFor(length: number): WorkerMemory | undefined {
  return hasSharedMemory ? { parameters: newBuffer(4 * length), result: newBuffer(4 * length) } : undefined
}

function resultIn(memory: WorkerMemory | undefined): Float32Array | undefined {
  return memory && new Float32Array(memory.result)
}

async function chooseStage(computing: ThreadState, from: number, to: number): Promise<StageFacts> {
  const { stages } = computing.built
  invariant(stages !== undefined, 'the task has no stages, or is one')
  const built = await stages.of(from, to)
  const memory = memoryFor(lengthOf(built.schema))
  Object.assign(computing, { built, task: built, result: resultIn(memory) })
  const { inputs, outputs, targets, isFirst, isLast } = built.stage
  return { schema: built.schema, memory, inputs, outputs, targets, isFirst, isLast }
}

function stageOf(task: Task | StageTask): StageWorks {
  invariant('stage' in task, 'the task is no stage')
  return task.stage
}

async function compute(computing: ThreadState, request: WorkerRequest): Promise<WorkerAnswer> {
  const { task } = computing
  switch (request.kind) {
    case 'initialise': {
      const vector = await task.initialise(request.seed).run()
      return { kind: 'initialise', ...handedOver(computing, vector) }
    }
    case 'gradient': {
      const { loss, vector } = await task.gradient(numbersAt(request.at), request.batch, request.round).run()
      return { kind: 'gradient', loss, ...handedOver(computing, vector) }
    }
    case 'dual': {
      invariant(task.dual !== undefined, 'the task has no dual')
      const { at, a, order, options } = request
      const { vector, ...rest } = await task.dual.step(numbersAt(at), a, order, options).run()
      return { kind: 'dual', ...rest, ...handedOver(computing, vector) }
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
      return { kind: 'backward', loss, inputs, ...handedOver(computing, vector) }
    }
    case 'evaluate': {
      const work = checkedEvaluation(task.evaluate(numbersAt(request.at)), computing.start)
      return { kind: 'evaluate', evaluation: await work.run() }
    }
  }
}

function numbersAt({ buffer, offset, length }: VectorPlace): Float32Array {
  return new Float32Array(buffer, offset, length)
}

/** Writes a vector where the owner reads it; where threads share no memory, the answer takes it there. */
function handedOver(
  { built, result }: ThreadState,
  vector: Float32Array
): { readonly vector?: Float32Array<ArrayBuffer> } {
  const length = result?.length ?? lengthOf(built.schema)
  if (vector.length !== length)
    throw new InputError(`the task computed ${vector.length} numbers, but its schema has ${length}`)
  if (result === undefined) return { vector: Float32Array.from(vector) }
  result.set(vector)
  return {}
}
