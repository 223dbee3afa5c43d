import { fileURLToPath } from 'node:url'
import { readText } from '@murmuration/files'
import { parseTrainingFile, type TrainingOverrides } from './training-file.js'
import type { Training } from './training-schema.js'

/** The default training. */
export const defaultTraining = fileURLToPath(new URL('../../training/digits.yaml', import.meta.url))

/** Reads a training file (the embedded default without `path`) and applies overrides. Paths become absolute. */
export async function readTrainingFile(path: string | undefined, overrides: TrainingOverrides = {}): Promise<Training> {
  const file = path ?? defaultTraining
  return parseTrainingFile(await readText(file), file, overrides)
}
