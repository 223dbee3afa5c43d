import { loadModel } from './load-model.js'
import { type Prediction, predictWith } from './predict-model.js'

/**
 * The predictions of a model that `--save` wrote, as {@link predictWith}. Also throws an InputError for a file that is
 * not a model.
 */
export async function* predict(
  path: string,
  files: readonly string[],
  options: { readonly task?: string | undefined } = {}
): AsyncGenerator<Prediction> {
  yield* predictWith(path, await loadModel(path), files, options)
}
