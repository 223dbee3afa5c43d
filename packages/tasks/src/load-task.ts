import { InputError, messageOf, type Task, type TaskDescription } from '@murmuration/core'

interface TaskModule {
  readonly createTask: (options: unknown) => Promise<Task>
}

/**
 * Builds a described task in this thread. Throws an InputError for a module that cannot be loaded, or has no
 * `createTask`.
 */
export async function loadTask({ module, options }: TaskDescription): Promise<Task> {
  const loaded: unknown = await import(module).catch((error: unknown) => {
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
