/** The tasks and data sets that `murmur init` offers and checks. The kinds come from the registries. */
import { InputError } from '@murmuration/core'
import { type NamedSet, namedSets } from '@murmuration/data'
import { tasks } from '@murmuration/experiment/tasks'
import { inlineYaml } from '../inline-yaml.js'
import { dataWords } from '../words.js'

type ListedTask = (typeof tasks)[number]

/** The record of a kind of task; undefined for a module. */
export function taskRecordOf(task: string): ListedTask | undefined {
  return tasks.find(({ kind }) => kind === task)
}

/** `task:` in a file, with the task's default options. */
export function taskText({ kind, options }: ListedTask): string {
  const defaults = options.parse({})
  return Object.keys(defaults).length === 0 ? kind : inlineYaml({ kind, ...defaults })
}

/** The data sets that a task can learn from; all of them for a module. */
export function setsFor(record: ListedTask | undefined): readonly NamedSet[] {
  if (record === undefined) return namedSets
  const { classes, hasImages, isText = false } = record.needs ?? {}
  return namedSets.filter(
    (set) =>
      set.isText === isText &&
      (classes === undefined || classes === set.classes) &&
      (hasImages === undefined || hasImages === set.hasImages)
  )
}

/**
 * The data set that `--data` names, or the first that the task can learn from. Throws an InputError for data that does
 * not suit it.
 */
export function dataFor(task: string, data: string | undefined): string {
  const sets = setsFor(taskRecordOf(task)).map(({ name }) => name)
  if (data === undefined) return sets[0]
  if (dataWords.includes(data) && !sets.includes(data))
    throw new InputError(`--data ${data}: the task ${task} cannot learn from it; expected ${sets.join(', ')} or a path`)
  return data
}
