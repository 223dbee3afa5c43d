import type { Description, TrainingSettings } from '@murmuration/engine'

/** The training settings that define how a step is taken. */
export type PlainSgdSettings = Pick<TrainingSettings, 'optimiser' | 'weightDecay' | 'clip' | 'accumulate'>

/**
 * Why an algorithm with keyed rows, which takes plain SGD steps, cannot train with these settings, in words; undefined
 * when it can.
 */
export function plainSgdProblem(
  { title }: Pick<Description, 'title'>,
  { optimiser, weightDecay = 0, clip, accumulate = 1 }: PlainSgdSettings
): string | undefined {
  const { name = 'sgd', ...settings } = optimiser ?? {}
  const isPlain =
    name === 'sgd' && Object.values(settings).every((value) => value === 0 || value === false || value === undefined)
  const wrong = [
    ...(isPlain ? [] : ['optimiser: sgd']),
    ...(weightDecay === 0 ? [] : ['weightDecay: 0']),
    ...(clip === undefined ? [] : ['no clip']),
    ...(accumulate === 1 ? [] : ['accumulate: 1'])
  ]
  return wrong.length === 0 ? undefined : `${title} takes plain steps of SGD: expected ${wrong.join(', ')}`
}
