import { InputError } from '@murmuration/core'
import { type ContinuationOptions, continueText, predict, type Prediction } from '@murmuration/experiment/models'

/** The options of `murmur predict`. */
export interface PredictFlags extends ContinuationOptions {
  /** The beginning of a text. */
  readonly prompt?: string
  readonly json?: boolean
}

/** At most so many classes of a sample are shown, the most probable first; others only from a probability of 1/1000. */
const shownClasses = 3

/** A line for each sample, or the continued text: as text, or as JSON objects. */
export async function* predictLines(
  model: string,
  files: readonly string[],
  { json, prompt, ...options }: PredictFlags
): AsyncGenerator<string> {
  check(files, prompt, options)
  if (prompt !== undefined) {
    let text = ''
    for await (const character of continueText(model, prompt, options)) text += character
    yield json ? JSON.stringify({ kind: 'continuation', prompt, text }) : `${prompt}${text}`
    return
  }
  const { task } = options
  for await (const prediction of predict(model, files, { task }))
    yield json ? JSON.stringify({ kind: 'prediction', ...prediction }) : textOf(prediction)
}

function check(files: readonly string[], prompt: string | undefined, options: ContinuationOptions): void {
  if (prompt !== undefined && files.length > 0)
    throw new InputError(
      `found files and --prompt, expected only one of them: files are classified, a prompt is continued`
    )
  if (prompt !== undefined) return
  if (files.length === 0)
    throw new InputError('found no files, expected images, CSV, Parquet or LIBSVM files, or --prompt TEXT')
  const option = (['length', 'temperature', 'seed'] as const).find((name) => options[name] !== undefined)
  if (option !== undefined)
    throw new InputError(`--${option}: only for a text that is continued; give its beginning with --prompt TEXT`)
}

function textOf({ from, classes, decision, values = [] }: Prediction): string {
  if (decision !== undefined) return `${from}: ${decision}, decision value ${Number(values[0].toPrecision(6))}`
  if (classes === undefined) return `${from}: ${values.map((value) => Number(value.toPrecision(6))).join(' ')}`
  const shown = classes.slice(0, shownClasses).filter(({ probability }, index) => index === 0 || probability >= 0.001)
  return `${from}: ${shown.map(({ name, probability }) => `${name} ${(100 * probability).toFixed(1)} %`).join(', ')}`
}
