import { InputError, type ModelSignature } from '@murmuration/core'
import { inputsIn } from '@murmuration/data'
import { type OpenedKernelModel, openKernelModel } from './kernel-model.js'
import type { LoadedModel } from './model-file.js'
import { openModel } from './trained.js'

/** The probability of a class. */
export interface ClassProbability {
  /** Its name, or its number if it has none. */
  readonly name: string
  readonly probability: number
}

/** A model's output for one sample. */
export interface Prediction {
  /** The file, or the file and the line. */
  readonly from: string
  /** The most probable first; only for classification. */
  readonly classes?: readonly ClassProbability[]
  /** The class on whose side the one value is; only for a model with a kernel. */
  readonly decision?: string
  /** The outputs otherwise. */
  readonly values?: readonly number[]
}

/**
 * The predictions of a model for files, one file at a time: pictures (PNG, JPEG) or rows of CSV or Parquet files,
 * preprocessed like its own samples. Throws an InputError for a file that the model cannot take; `task` is the module,
 * if the model was trained by one, and `path` the model's name in errors.
 */
export async function* predictWith(
  path: string,
  model: LoadedModel,
  files: readonly string[],
  { task }: { readonly task?: string | undefined } = {}
): AsyncGenerator<Prediction> {
  const kernelModel = task === undefined ? await openKernelModel(path, model) : undefined
  if (kernelModel !== undefined) return yield* decisions(kernelModel, files)
  const { signature, trained } = await openModel(path, model, task)
  if (signature.preprocessing.kind === 'text')
    throw new InputError(
      `${path}: this model continues texts; give the beginning of one with --prompt, in place of files`
    )
  if (trained.outputs === 'probabilities' && signature.targetShape.length > 0)
    throw new InputError(
      `${path}: this model gives classes of shape [${signature.targetShape}] per sample; expected one class, or numbers`
    )
  for (const file of files) {
    const inputs = await inputsIn(file, signature)
    const flat = new Float32Array(inputs.reduce((sum, { values }) => sum + values.length, 0))
    inputs.reduce((offset, { values }) => (flat.set(values, offset), offset + values.length), 0)
    const outputs = await trained.predict(flat)
    const size = outputs.length / inputs.length
    for (const [index, { from }] of inputs.entries()) {
      const values = [...outputs.subarray(index * size, (index + 1) * size)]
      yield trained.outputs === 'values' ? { from, values } : { from, classes: ranked(values, signature) }
    }
  }
}

async function* decisions(
  { machine, signature }: OpenedKernelModel,
  files: readonly string[]
): AsyncGenerator<Prediction> {
  for (const file of files) {
    const inputs = await inputsIn(file, signature)
    const values = machine.decide(inputs.map((input) => Float32Array.from(input.values)))
    for (const [index, { from }] of inputs.entries()) {
      const side = values[index] > 0 ? 1 : 0
      yield { from, decision: signature.classNames?.[side] ?? String(side), values: [values[index]] }
    }
  }
}

function ranked(probabilities: readonly number[], { classNames }: ModelSignature): readonly ClassProbability[] {
  return probabilities
    .map((probability, index) => ({ name: classNames?.[index] ?? String(index), probability }))
    .sort((left, right) => right.probability - left.probability)
}
