/** A saved model as a network that computes. */
import { InputError, type ModelSignature } from '@murmuration/core'
import { loadTrainedModel, type ModelDescription, type TrainedModel } from '@murmuration/tfjs'
import { sizeOf } from '@murmuration/vectors'
import { type TaskChoice, taskChoiceOf, taskRecordOf } from '../training/task-choice.js'
import { type LoadedModel, type ModelFacts, ofModel } from './model-file.js'

/** A model that was opened. */
export interface OpenedModel {
  readonly facts: ModelFacts
  readonly signature: ModelSignature
  readonly trained: TrainedModel
}

/**
 * The task of a model; `task` if it was trained by a module. Throws an InputError if a module is needed and not given.
 */
export function taskOfModel(path: string, { learning }: ModelFacts, task: string | undefined): TaskChoice {
  if (task !== undefined) {
    const choice = taskChoiceOf(task)
    return choice.module === undefined ? choice : { ...choice, options: learning.task.options }
  }
  if (learning.task.module === undefined) return learning.task
  throw new InputError(
    `${path}: was trained with the module ${learning.task.module}. A module is code, and is not run because a file names it; name it with --task if you trust it`
  )
}

/** Opens a model for use; `path` is its name in errors. Throws an InputError unless it is a function of samples. */
export async function openModel(path: string, model: LoadedModel, task?: string): Promise<OpenedModel> {
  const { facts } = model
  const { signature } = facts
  if (signature === undefined)
    throw new InputError(
      `${path}: has no description of the model's inputs and outputs: its task has no samples, or an older version saved it; save it again`
    )
  const choice = taskOfModel(path, facts, task)
  try {
    const trained = await loadTrainedModel({ ...networkOf(model, signature, choice), signature })
    return { facts, signature, trained }
  } catch (error) {
    throw ofModel(path, error)
  }
}

function networkOf({ tensors, facts }: LoadedModel, { inputShape }: ModelSignature, task: TaskChoice) {
  if (task.module !== undefined) {
    const model: ModelDescription = { kind: 'module', path: task.module, options: task.options }
    return { model, tensors }
  }
  const { learning, seed } = facts
  const origin = { inputs: sizeOf(inputShape), seed: learning.dataSeed ?? seed }
  const network = taskRecordOf(task)?.network?.(task as never, tensors, origin)
  if (network === undefined) throw new InputError(`a model of the task "${task.kind}" is not a function of samples`)
  return { model: network.model as ModelDescription, tensors: network.tensors }
}
