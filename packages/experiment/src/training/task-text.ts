import { taskRecordOf } from './task-choice.js'
import type { LearningTask } from './training-schema.js'

/** What is learned, in words: `mlp, data digits 1500, partition equal`. */
export function taskText({ task, data, partition }: Pick<LearningTask, 'task' | 'data' | 'partition'>): string {
  const { kind = 'a module', ...options } = task
  const shown = taskRecordOf(task)?.learnsFromData === false ? options : { ...options, data, partition }
  return [kind, ...Object.entries(shown).map(([name, value]) => `${name} ${valueText(value)}`)].join(', ')
}

function valueText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return value.map(valueText).join(' ')
  return Object.entries(value)
    .flatMap(([name, each]) => (each === undefined ? [] : [`${name} ${valueText(each)}`]))
    .join(' ')
}
