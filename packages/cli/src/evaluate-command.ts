import { evaluateModel } from '@murmuration/experiment/models'
import { count, quality, qualityWord } from './output/texts.js'

/** The options of `murmur evaluate`. */
export interface EvaluateFlags {
  readonly data?: string
  readonly task?: string
  readonly json?: boolean
}

/** The evaluation of a saved model, as text or as one JSON object. */
export async function evaluateText(
  path: string,
  { json, ...options }: EvaluateFlags,
  signal: AbortSignal
): Promise<string> {
  const { facts, data, ...evaluation } = await evaluateModel(path, { ...options, signal })
  if (json) return JSON.stringify({ kind: 'evaluation', of: path, ...evaluation, data, facts })
  const { algorithm, rounds, samples, about, evaluation: evaluationWhenSaved } = facts
  const saved = evaluationWhenSaved === undefined ? [] : [`  when saved          ${quality(evaluationWhenSaved)}`]
  return [
    `${path}: ${about.model ?? facts.learning.task.kind ?? 'a model'}`,
    `  trained by          ${algorithm}; ${count(rounds)} rounds, ${count(samples)} samples`,
    ...saved,
    `  on ${data}`,
    `  ${(qualityWord(evaluation) || 'now').padEnd(20)}${quality(evaluation)}`
  ].join('\n')
}
