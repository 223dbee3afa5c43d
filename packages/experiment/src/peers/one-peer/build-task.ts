import { hasRows, type PipelineSettings } from '@murmuration/algorithms'
import type { PeerName, Schema, TaskDescription, Work } from '@murmuration/core'
import type { PipelineOfFile } from '@murmuration/files'
import {
  buildTaskHere,
  type StageTaskWorker,
  startTaskWorker,
  type TaskWorker,
  type ThreadWork
} from '@murmuration/tasks/peer'
import { lengthOf } from '@murmuration/vectors'
import type { RunEvent } from '../../base/events.js'
import { checkMemory, leastMemory, roomIn } from '../../training/memory.js'
import { endsOf, longestVector, placeInLines, stageText } from '../../training/pipeline.js'
import { type RunPlan, taskOf } from '../../training/plan.js'
import { noteWhileSlow } from '../reporting/note-while-slow.js'

/** The peer that needs the task. */
interface PeerOfRun {
  readonly plan: RunPlan
  readonly self: PeerName
  readonly emit: (event: RunEvent) => void
  readonly signal: AbortSignal
}

/** Peers with a stage of a model have little memory: by default V8 lets garbage take three times 16 MiB a thread. */
const youngMegabytes = 6

/** Whether the peer holds parameters for the workers. */
export function isServer({ plan, self }: Pick<PeerOfRun, 'plan' | 'self'>): boolean {
  return plan.options.servers?.includes(self) === true
}

/**
 * The task in a thread of its own (with keyed rows or a kernel: in this thread). Notes report when building it, or a
 * gradient, takes long.
 */
export async function buildTask(run: PeerOfRun): Promise<BuiltTask> {
  const { plan, self, emit, signal } = run
  // A server has no data of its own: it needs only the parameters of the task.
  const description = taskOf(plan, isServer(run) ? undefined : self)
  const content = description.userModule === undefined ? 'its model and data' : `the model of ${description.userModule}`
  const note = (what: string) => (seconds: number) =>
    emit({ kind: 'note', text: `${self}: ${what} has taken ${seconds} s so far` })
  const built = (building: Promise<TaskWorker>) => noteWhileSlow(building, note(`building ${content}`))
  if (hasRows(plan.options) || plan.options.algorithm.needs.kernel === true)
    return ofWhole(await built(buildTaskHere(description)))
  if (plan.options.pipeline !== undefined)
    return buildStage(run, await built(startTaskWorker(late(description), { signal, youngMegabytes })))
  const task = await built(startTaskWorker(description, { signal }))
  await checked(run, task, task.schema)
  const noting = <Result>(what: string, work: Work<Result>): ThreadWork<Result> => ({
    ...work,
    run: () => noteWhileSlow(Promise.resolve(work.run()), note(`${what} of ${content}`))
  })
  const { dual } = task
  return ofWhole({
    ...task,
    dual: dual && { width: dual.width, step: (...args) => noting('a dual step', dual.step(...args)) },
    gradient: (parameters, batch, round) => noting('a gradient', task.gradient(parameters, batch, round))
  })
}

/** A task, and the model that it is a part of. */
export interface BuiltTask {
  /** What the peer trains: the task, or a stage of it. */
  readonly task: TaskWorker
  /** The tensors of the whole model. */
  readonly schema: Schema
  /** The most numbers of a vector, where that is not the model. */
  readonly longest?: number
  /** Before which layers the model is cut. */
  readonly cuts?: readonly number[]
}

function ofWhole(task: TaskWorker): BuiltTask {
  return { task, schema: task.schema }
}

/** Closes the task if the peer has no room for it; see {@link checkMemory}. */
async function checked({ plan, self }: PeerOfRun, task: TaskWorker, whole: Schema): Promise<void> {
  try {
    if (!isServer({ plan, self })) checkMemory(plan, self, { own: lengthOf(task.schema), all: lengthOf(whole) })
  } catch (error) {
    await task.close()
    throw error
  }
}

/** Weights take no memory until the stage is known. */
function late({ options, ...description }: TaskDescription): TaskDescription {
  return { ...description, options: { ...(options as object), hasLateWeights: true } }
}

async function buildStage(run: PeerOfRun, whole: TaskWorker): Promise<BuiltTask> {
  try {
    const { plan, self } = run
    const { file, options, training } = plan
    const settings = options.pipeline as PipelineSettings
    const { parts = [] } = whole.stages ?? {}
    const pipeline = file.pipeline as PipelineOfFile
    const memory = leastMemory(file)
    const room = memory === undefined ? undefined : roomIn(memory, pipeline.lines.length > 1, training)
    const ends = endsOf(whole.stages?.parts, settings, { ...training.pipeline, batch: training.batch, room })
    const { stage } = placeInLines(pipeline, self)
    const task = (await whole.stages?.of(ends[stage], ends[stage + 1])) as StageTaskWorker
    const longest = longestVector(parts, ends, settings.splitSize, task.stage.targets)
    const about = { ...task.about, stage: stageText(parts, ends, stage) }
    await checked(run, task, whole.schema)
    const cuts = ends.slice(1, -1).map((end) => parts[end].layer)
    return { task: { ...task, about }, schema: whole.schema, longest, cuts }
  } catch (error) {
    await whole.close()
    throw error
  }
}
