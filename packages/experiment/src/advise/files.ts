import { isDeepStrictEqual } from 'node:util'
import { InputError } from '@murmuration/core'
import { readText, withYamlValues, type YamlValue } from '@murmuration/files'
import type { RunRequest } from '../training/plan.js'
import { parseTrainingFile, readTrainingFile } from '../training/training-file.js'
import type { AdvisedPlan } from './plans.js'

/** The texts of the two files of a run. */
export interface AdviceFiles {
  readonly topology: string
  readonly train: string
}

/**
 * The files of a run with a plan in place of theirs. All else is as it was, comments too. Throws an InputError where the training file names others by where it is itself, and is to
 * be in another folder.
 *
 * @param folder - where they are to be
 */
export async function adviceFiles(
  { topology, train }: Pick<RunRequest, 'topology' | 'train'>,
  { choice: { algorithm, codec, graph, rate }, isGiven }: Pick<AdvisedPlan, 'choice' | 'isGiven'>,
  folder: string
): Promise<AdviceFiles> {
  const [given, training] = [await readText(topology), train === undefined ? '' : await readText(train)]
  const changes: YamlValue[] = [
    [['algorithm'], Object.keys(algorithm).length === 1 ? algorithm.name : algorithm],
    [['codec'], codec],
    [['rate', 'initial'], rate]
  ]
  const changed = isGiven ? training : withYamlValues(training, changes)
  const before = await readTrainingFile(train, {})
  const after = await parseTrainingFile(changed, `${folder}/train.yaml`)
  if (!isDeepStrictEqual(rest(before), rest(after)))
    throw new InputError(
      `${train} names other files from where it is: write the new one to the same folder, not to ${folder}`
    )
  return { topology: graph === undefined ? given : withYamlValues(given, [[['graph'], graph]]), train: changed }
}

/** What a plan leaves as it is. */
const rest = ({
  algorithm: _,
  codec: __,
  rate: { initial: ___, ...rate },
  ...training
}: Awaited<ReturnType<typeof readTrainingFile>>) => ({
  ...training,
  rate
})
