import { predict, type Prediction } from '@murmuration/experiment/models'

/** What `murmur predict` is given beside a model and files. */
export interface PredictFlags {
  readonly task?: string
  readonly json?: boolean
}

/** As many classes of a sample are shown, the most probable first, unless they are less probable than one in a thousand. */
const shownClasses = 3

/** A line for each sample: as text, or as a JSON object. */
export async function* predictLines(
  model: string,
  files: readonly string[],
  { task, json }: PredictFlags
): AsyncGenerator<string> {
  for await (const prediction of predict(model, files, { task }))
    yield json ? JSON.stringify({ kind: 'prediction', ...prediction }) : textOf(prediction)
}

function textOf({ from, classes, values = [] }: Prediction): string {
  if (classes === undefined) return `${from}: ${values.map((value) => Number(value.toPrecision(6))).join(' ')}`
  const shown = classes.slice(0, shownClasses).filter(({ probability }, place) => place === 0 || probability >= 0.001)
  return `${from}: ${shown.map(({ name, probability }) => `${name} ${(100 * probability).toFixed(1)} %`).join(', ')}`
}
