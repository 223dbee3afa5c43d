import { InputError, type ModelSignature } from '@murmuration/core'
import { inputsIn } from '@murmuration/data'
import { openModel } from './trained.js'

/** How probable a class is. */
export interface ClassProbability {
  /** Its name, or its number where it has none. */
  readonly name: string
  readonly probability: number
}

/** What a model makes of one sample. */
export interface Prediction {
  /** The file, or the file and the line. */
  readonly from: string
  /** The most probable first; where classes are learned. */
  readonly classes?: readonly ClassProbability[]
  /** Otherwise what the model gives. */
  readonly values?: readonly number[]
}

/**
 * What a model that was saved makes of files: pictures (PNG, JPEG) or rows of CSV or Parquet files, preprocessed as its own samples were. File by file. Throws an InputError for what is no
 * model, and for a file that the model cannot take; `task` is the module, where it was trained by one.
 */
export async function* predict(
  path: string,
  files: readonly string[],
  { task }: { readonly task?: string | undefined } = {}
): AsyncGenerator<Prediction> {
  const { signature, trained } = await openModel(path, task)
  if (signature.preprocessing.kind === 'text')
    throw new InputError(`${path}: continues texts; give the beginning of one with --prompt in place of files`)
  if (trained.outputs === 'probabilities' && signature.targetShape.length > 0)
    throw new InputError(
      `${path}: gives classes of shape [${signature.targetShape}] for a sample; predictions are of one class or of numbers`
    )
  for (const file of files) {
    const inputs = await inputsIn(file, signature)
    const flat = new Float32Array(inputs.reduce((sum, { values }) => sum + values.length, 0))
    inputs.reduce((place, { values }) => (flat.set(values, place), place + values.length), 0)
    const outputs = await trained.predict(flat)
    const size = outputs.length / inputs.length
    for (const [place, { from }] of inputs.entries()) {
      const values = [...outputs.subarray(place * size, (place + 1) * size)]
      yield trained.outputs === 'values' ? { from, values } : { from, classes: ranked(values, signature) }
    }
  }
}

function ranked(probabilities: readonly number[], { classNames }: ModelSignature): readonly ClassProbability[] {
  return probabilities
    .map((probability, place) => ({ name: classNames?.[place] ?? String(place), probability }))
    .sort((left, right) => right.probability - left.probability)
}
