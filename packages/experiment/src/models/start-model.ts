import { InputError, type Schema, type Task } from '@murmuration/core'
import { allFinite, pack, unpack } from '@murmuration/vectors'
import { loadModel } from './load-model.js'
import { parametersFor } from './model-file.js'

/**
 * The task, which starts from a model that `--save` wrote, whatever the seed; unchanged without `path`. The peers of a
 * run compare the hash of their starts. Throws an InputError unless the file has the tensors of the task, and finite
 * numbers.
 *
 * @param whole - the tensors of the model, of which a stage has some; those of the task when absent
 */
export async function startingFrom<Given extends Task>(
  path: string | undefined,
  task: Given,
  whole: Schema = task.schema
): Promise<Given> {
  if (path === undefined) return task
  const start = partOf(parametersFor(path, await loadModel(path), whole), whole, task.schema)
  if (!allFinite(start)) throw new InputError(`${path}: has numbers that are NaN or infinite, expected a trained model`)
  return { ...task, initialise: () => ({ kind: 'initialise', samples: 0, run: () => start.slice() }) }
}

/** The values of some of a model's tensors. */
function partOf(parameters: Float32Array, whole: Schema, part: Schema): Float32Array {
  if (part === whole) return parameters
  const values = new Map(unpack(whole, parameters).map((tensor, index) => [whole[index].name, tensor]))
  return pack(
    part,
    part.map(({ name }) => values.get(name) ?? [])
  )
}
