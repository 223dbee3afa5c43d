/** A saved support vector machine with a kernel: its support vectors are among the training samples. */
import { InputError, type ModelSignature } from '@murmuration/core'
import { KernelMachine, type KernelOptions, loadTask } from '@murmuration/tasks'
import type { SvmClassifierParts } from '@murmuration/tfjs'
import { taskRecordOf } from '../training/task-choice.js'
import { taskDescription } from '../training/task-description.js'
import { type LoadedModel, ofModel, parametersFor } from './model-file.js'

/** A model that was opened. */
export interface OpenedKernelModel {
  readonly machine: KernelMachine
  readonly signature: ModelSignature
}

/**
 * Opens a model with a kernel; undefined for another model. Reads the training data again, which must be on this
 * machine. `path` is its name in errors. Throws an InputError for a model that belongs to other data.
 */
export async function openKernelModel(path: string, model: LoadedModel): Promise<OpenedKernelModel | undefined> {
  const { task } = model.facts.learning
  if (taskRecordOf(task)?.hasKernel?.(task as never) !== true) return undefined
  try {
    return await opened(path, model)
  } catch (error) {
    throw ofModel(path, error)
  }
}

async function opened(path: string, model: LoadedModel): Promise<OpenedKernelModel> {
  const { learning, peers, seed, signature } = model.facts
  const { kernel, schema } = await loadTask(taskDescription(learning, { peers, seed }))
  if (kernel === undefined || signature === undefined)
    throw new InputError('found no description of its inputs, expected that of a model with a kernel')
  const parameters = parametersFor(path, model, schema)
  const numbers = [...parameters.keys()].slice(0, -1).filter((at) => parameters[at] !== 0)
  const machine = new KernelMachine({
    kernel: (learning.task as unknown as { readonly kernel: KernelOptions }).kernel,
    support: numbers.map((at) => kernel.sample(at)),
    coefficients: Float64Array.from(numbers, (at) => parameters[at]),
    bias: parameters[parameters.length - 1]
  })
  return { machine, signature }
}

/** The parts of an ONNX file. */
export function classifierParts({ machine, signature }: OpenedKernelModel): SvmClassifierParts {
  const { kernel, ...parts } = machine.byClass
  const labels = labelsOf(signature)
  if (kernel === 'linear') return { kernel: 'LINEAR', gamma: 0, coef0: 0, degree: 0, labels, ...parts }
  if ('rbf' in kernel) return { kernel: 'RBF', gamma: kernel.rbf.gamma, coef0: 0, degree: 0, labels, ...parts }
  return { kernel: 'POLY', ...kernel.polynomial, labels, ...parts }
}

/** The names of both classes as LIBSVM's labels, where they are whole numbers; else 0 and 1. */
export function labelsOf({ classNames = [] }: ModelSignature): readonly [number, number] {
  const labels = classNames.map(Number)
  return labels.length === 2 && labels.every(Number.isInteger) ? [labels[0], labels[1]] : [0, 1]
}
