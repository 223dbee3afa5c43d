import { InputError } from '@murmuration/core'
import { type ProvidedFile, provideFiles } from '@murmuration/data/peer'
import { planOfFiles, type RunPlan, runFilesIn } from '@murmuration/experiment/peer'
import { nameOf, samplesOf } from './card.js'
import type { DroppedFile } from './run.js'

/** Where a person's own files are, and those of the common test set. */
const [own, common] = ['given/own', 'given/test']

/**
 * The plan of a run with the data that a person gave, which workers then read. Throws an InputError where data are
 * missing.
 *
 * @param files - of the run, as they were received
 */
export async function planWith(plan: RunPlan, files: string, given: readonly DroppedFile[]): Promise<RunPlan> {
  const need = samplesOf(plan)
  const { data, test } = plan.training
  if (need.kind === 'none') return plan
  if (given.length === 0) throw new InputError('The run needs data of yours: drop them on the page')
  if (typeof data === 'string') {
    provideFiles(given)
    return plan
  }
  const isTest = ({ path }: DroppedFile) => need.test !== undefined && path.split('/').includes(need.test)
  const tests = given.filter(isTest).map(({ path, file }) => ({ path: `${common}/${nameOf(path)}`, file }))
  if (need.test !== undefined && tests.length === 0)
    throw new InputError(`All peers test on ${need.test}: drop it on the page, too`)
  const others = given.filter((each) => !isTest(each))
  provideFiles([...tests, ...others.map(({ path, file }): ProvidedFile => ({ path: `${own}/${path}`, file }))])
  const { training, ...rest } = await planOfFiles(runFilesIn(files), own)
  return { ...rest, training: typeof test === 'number' ? training : { ...training, test: { ...test, path: common } } }
}
