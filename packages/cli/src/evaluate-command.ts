import { evaluateModel } from '@murmuration/experiment/models'
import { count, quality } from './output/texts.js'

/** What `murmur evaluate` is given beside a model. */
export interface EvaluateFlags {
  readonly data?: string
  readonly task?: string
  readonly json?: boolean
}

/** What a saved model is worth, as text or as one JSON object. */
export async function evaluateText(
  path: string,
  { json, ...given }: EvaluateFlags,
  signal: AbortSignal
): Promise<string> {
  const { facts, data, loss, accuracy } = await evaluateModel(path, { ...given, signal })
  if (json) return JSON.stringify({ kind: 'evaluation', of: path, loss, accuracy, data, facts })
  const { algorithm, rounds, samples, about, evaluation } = facts
  const saved =
    evaluation === undefined ? [] : [`  when it was saved   ${quality(evaluation.accuracy, evaluation.loss)}`]
  return [
    `${path}: ${about.model ?? facts.learning.task.kind ?? 'a model'}`,
    `  trained by          ${algorithm}; ${count(rounds)} rounds, ${count(samples)} samples`,
    ...saved,
    `  on ${data}`,
    `  ${accuracy === undefined ? 'worth now           ' : 'accuracy            '}${quality(accuracy, loss)}`
  ].join('\n')
}
