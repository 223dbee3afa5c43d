import { InputError, messageOf, type Task, type TaskDescription } from '@murmuration/core'
import { importModule } from '@murmuration/platform'

/** A module that builds a task. */
interface TaskModule {
  readonly createTask: (options: unknown) => Promise<Task>
}

/** Loads modules, by the names that descriptions of tasks give them. */
export type TaskModules = Readonly<Record<string, () => Promise<unknown>>>

const ownModules: TaskModules = {
  'knowledge-graph-task': () => import('./knowledge-graph-task.js'),
  'logistic-task': () => import('./logistic-task.js'),
  'matrix-factorisation-task': () => import('./matrix-factorisation-task.js'),
  'quadratic-task': () => import('./quadratic-task.js'),
  'softmax-task': () => import('./softmax-task.js'),
  'svm-task': () => import('./svm-task.js'),
  'word-vectors-task': () => import('./word-vectors-task.js')
}

/**
 * Builds a described task in this thread. Throws an InputError for a module that cannot be loaded, or has no
 * `createTask`.
 *
 * @param others - modules besides those of this package; in Node also any that `import()` takes
 */
export async function loadTask({ module, options }: TaskDescription, others: TaskModules = {}): Promise<Task> {
  const modules = { ...ownModules, ...others }
  const load = Object.hasOwn(modules, module) ? modules[module] : () => importModule(module)
  const loaded: unknown = await load().catch((error: unknown) => {
    throw new InputError(`the task's module ${module} cannot be loaded: ${messageOf(error)}`)
  })
  if (!isTaskModule(loaded)) throw new InputError(`the module ${module} does not export the function createTask`)
  return loaded.createTask(options)
}

function isTaskModule(loaded: unknown): loaded is TaskModule {
  return (
    typeof loaded === 'object' && loaded !== null && 'createTask' in loaded && typeof loaded.createTask === 'function'
  )
}
