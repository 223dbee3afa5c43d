import { InputError, type Task } from '@murmuration/core'
import { allFinite } from '@murmuration/vectors'
import { loadModel, parametersFor } from './model-file.js'

/**
 * The task, which starts from a model that `--save` wrote, whatever the seed; unchanged without `path`. The peers of a
 * run compare the hash of their starts. Throws an InputError unless the file has the tensors of the task, and finite
 * numbers.
 */
export async function startingFrom<Given extends Task>(path: string | undefined, task: Given): Promise<Given> {
  if (path === undefined) return task
  const start = parametersFor(path, await loadModel(path), task.schema)
  if (!allFinite(start)) throw new InputError(`${path}: has numbers that are NaN or infinite, expected a trained model`)
  return { ...task, initialise: () => ({ kind: 'initialise', samples: 0, run: () => start.slice() }) }
}
