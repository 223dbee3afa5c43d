/** A task in files: from the registry, or a module of the user's own; with its options. */
import { type AnyAlgorithm, type PlainSgdSettings, plainSgdProblem } from '@murmuration/algorithms'
import { nearest } from '@murmuration/files'
import { InputError, type Problem, within } from '@murmuration/core'
import { kernelNeedsAll } from '@murmuration/tasks/peer'
import * as z from 'zod'
import { exists, resolvePath } from '#platform'
import { inputJson } from './algorithm-choice.js'
import { removedFields } from './removed-fields.js'
import { tasks } from './tasks.js'

/** The names of the kinds of tasks. */
export const kinds = tasks.map(({ kind }) => kind) as [string, ...string[]]

/** Fields that older files have within the task, and that are now next to it. */
const fieldsOfOlder = removedFields({
  data: 'data next to task',
  test: 'test next to task',
  partition: 'partition next to task',
  loss: 'loss next to task',
  model: 'task: mlp, or another'
})
const ofLogistic = removedFields({
  features: 'data: { gaussians: 4601, features: 57 } next to task',
  samples: 'data: { gaussians: 4601 } next to task'
})

const byKind = tasks.map(({ kind, description, options }) =>
  z
    .strictObject({
      kind: z.literal(kind),
      ...fieldsOfOlder,
      ...(kind === 'logistic' ? ofLogistic : {}),
      ...options.shape
    })
    .meta({ description })
)

const byModule = z
  .strictObject({
    kind: z.undefined({ error: `one of ${kinds.join(', ')}` }).optional(),
    module: z.string({ error: `kind: ${kinds[0]} or another, or module: ./my-task.js` }).min(1),
    options: z.json().optional(),
    ...fieldsOfOlder
  })
  .meta({ description: 'A model of your own: a module that exports createModel, and its options' })

/** Plain data. */
export type TaskChoice =
  | { readonly kind: string; readonly module?: undefined; readonly [option: string]: unknown }
  | { readonly kind?: undefined; readonly module: string; readonly options?: unknown }

/** `task:` in files: a word, or a mapping with a kind or module and options. */
export const taskSchema = z
  .union([z.enum(kinds).transform((kind) => ({ kind })), z.looseObject({})])
  .pipe(z.discriminatedUnion('kind', [...byKind, byModule] as unknown as [typeof byModule]))
  .transform((choice) => choice as TaskChoice)
  .meta(inputJson(() => z.union([z.enum(kinds), ...byKind, byModule])))

/** The record of a task that is not a module. */
export function taskRecordOf({ kind }: TaskChoice) {
  return tasks.find((record) => record.kind === kind)
}

/** Problems of a task that the schema cannot express. Paths begin with `task`. */
export function taskProblems(task: TaskChoice): Problem[] {
  return within(['task'], taskRecordOf(task)?.problems?.(task as never) ?? [])
}

/** The settings of a training that matter to algorithms that not every task fits. */
type TaskSettings = PlainSgdSettings & { readonly task: TaskChoice; readonly partition?: unknown }

/** Why an algorithm cannot learn this task with these settings, in words; empty if it can. */
export function taskRefusals(record: AnyAlgorithm, training: TaskSettings): readonly string[] {
  const hasKernel = taskRecordOf(training.task)?.hasKernel?.(training.task as never) === true
  if (hasKernel || record.needs.kernel === true) return kernelRefusals(record, training, hasKernel)
  if (record.needs.dual === true) return dualRefusals(record, training)
  return record.kind === 'rows' ? rowRefusals(record, training) : []
}

function rowRefusals(record: AnyAlgorithm, training: TaskSettings): readonly string[] {
  const { title } = record
  const kindsWithRows = tasks.filter(({ hasRows }) => hasRows).map(({ kind }) => kind)
  const { task } = training
  const hasRows = taskRecordOf(task)?.hasRows === true
  const needed = `${title} needs a task whose parameters are keyed rows, found ${task.kind ?? 'a module'}; choose task: ${kindsWithRows.join(' or ')}`
  const problem = plainSgdProblem(record, training)
  return [...(hasRows ? [] : [needed]), ...(problem === undefined ? [] : [problem])]
}

/** A step of dual ascent has no gradient and no rate. */
function dualRefusals({ title }: AnyAlgorithm, settings: TaskSettings): readonly string[] {
  const { task, weightDecay = 0, clip, accumulate = 1 } = settings
  const kindsWithDual = tasks.filter(({ hasDual }) => hasDual !== undefined).map(({ kind }) => kind)
  const hasDual = taskRecordOf(task)?.hasDual
  const needed = `${title} needs a task whose loss has a dual`
  const found = `found ${task.kind ?? 'a module'}; choose task: ${kindsWithDual.join(' or ')}`
  const given = [...(clip === undefined ? [] : ['clip']), ...(accumulate === 1 ? [] : ['accumulate'])]
  return [
    ...(hasDual === undefined ? [`${needed}, ${found}`] : []),
    ...(hasDual?.(task as never, weightDecay) === false
      ? [`${needed}, found l2: 0; choose one above 0, such as 0.001`]
      : []),
    ...(given.length === 0 ? [] : [`${title} takes steps without gradients: expected no ${given.join(', no ')}`])
  ]
}

/** Why an algorithm and a task with a kernel, or without, do not go together. */
function kernelRefusals(
  { title, needs }: AnyAlgorithm,
  { partition }: TaskSettings,
  hasKernel: boolean
): readonly string[] {
  if (!hasKernel)
    return [
      `${title} needs a task with a kernel, found none; choose task: { kind: svm, kernel: { rbf: { gamma: 1 } } }`
    ]
  if (needs.kernel !== true)
    return [
      `${title} needs gradients, and the task svm with a kernel has none; choose algorithm: svm-blocks, or in place of the kernel features: { fourier: 1024, gamma: 1 }`
    ]
  const isLocal = partition === 'local' || (typeof partition === 'object' && partition !== null && 'local' in partition)
  return isLocal ? [kernelNeedsAll] : []
}

/** A task on the command line: a kind, or the path of a module. Throws an InputError when the path does not exist. */
export function taskChoiceOf(text: string): TaskChoice {
  if (kinds.includes(text)) return taskSchema.parse(text)
  if (exists(text)) return { module: resolvePath(text) }
  throw new InputError(
    `--task ${text}: found no such file, expected one of ${kinds.join(', ')}, or the path of a module${nearest(text, kinds)}`
  )
}
