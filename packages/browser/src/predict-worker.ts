/** The program of the worker that predicts with the model. */
import { InputError, messageOf } from '@murmuration/core'
import { provideFiles } from '@murmuration/data'
import { modelIn, predictWith } from '@murmuration/experiment/use'
import { ownThread } from '@murmuration/platform'
import type { PredictAnswer, PredictRequest } from './predict.js'
import { placeWasm } from './tfjs-task.js'

async function answerTo({ model, file, name }: PredictRequest): Promise<PredictAnswer> {
  try {
    await placeWasm()
    provideFiles([{ path: name, file }])
    const loaded = modelIn(new Uint8Array(await model.arrayBuffer()))
    const { value } = await predictWith('the model', loaded, [name]).next()
    if (value === undefined) throw new InputError(`${name}: found no sample, expected one`)
    return { prediction: value }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

async function main(): Promise<void> {
  const thread = ownThread()
  thread.post(await answerTo((await thread.start) as PredictRequest))
}

void main()
