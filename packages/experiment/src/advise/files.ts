import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { InputError } from '@murmuration/core'
import { type LinksDescription, linksValue, readText, withYamlValues, type YamlValue } from '@murmuration/files'
import type { RunRequest } from '../training/plan.js'
import { readTrainingFile } from '../training/read-training-file.js'
import { parseTrainingFile } from '../training/training-file.js'
import type { AdvisedPlan } from './plans.js'

/** The texts of the two files of a run. */
export interface AdviceFiles {
  readonly topology: string
  readonly train: string
}

/**
 * Throws an InputError if a training file has relative paths that would not resolve to the same files from `folder`.
 */
export async function checkMovable(train: string | undefined, folder: string): Promise<void> {
  if (train === undefined) return
  const original = await readTrainingFile(train, {})
  const moved = await parseTrainingFile(await readText(train), join(folder, 'train.yaml'))
  if (isDeepStrictEqual(original, moved)) return
  throw new InputError(`${train}: its relative paths name other files from ${folder}; use absolute paths`)
}

/** The files of a run with its plan, and its links if given, replaced. All else stays as it is, with comments. */
export async function adviceFiles(
  { topology, train }: Pick<RunRequest, 'topology' | 'train'>,
  { choice: { algorithm, codec, graph, rate }, isGiven }: Pick<AdvisedPlan, 'choice' | 'isGiven'>,
  links?: LinksDescription
): Promise<AdviceFiles> {
  const topologyText = await readText(topology)
  const training = train === undefined ? '' : await readText(train)
  const { warmup } = (await readTrainingFile(train)).rate
  const changes: YamlValue[] = [
    [['algorithm'], Object.keys(algorithm).length === 1 ? algorithm.name : algorithm],
    [['codec'], codec],
    [['rate', 'initial'], rate],
    // A rate that is given has no warm-up unless that is given too.
    ...(warmup === 0 ? [] : ([[['rate', 'warmup'], warmup]] as const))
  ]
  const topologyChanges: YamlValue[] = [
    ...(graph === undefined ? [] : ([[['graph'], graph]] as const)),
    ...(links === undefined ? [] : ([[['links'], linksValue(links)]] as const))
  ]
  return {
    topology: topologyChanges.length === 0 ? topologyText : withYamlValues(topologyText, topologyChanges),
    train: isGiven ? training : withYamlValues(training, changes)
  }
}
