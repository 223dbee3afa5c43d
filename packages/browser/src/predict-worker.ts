/** The program of the worker that predicts with the model. */
import { InputError, messageOf } from '@murmuration/core'
import { provideFiles } from '@murmuration/data'
import { modelIn, predictWith } from '@murmuration/experiment/use'
import { ownThread } from '@murmuration/platform'
import type { PredictRequest, PredictAnswer } from './predict.js'

const thread = ownThread()

async function main(): Promise<void> {
  const { model, file, name } = (await thread.start) as PredictRequest
  try {
    provideFiles([{ path: name, file }])
    const loaded = modelIn(new Uint8Array(await model.arrayBuffer()))
    const { value } = await predictWith('the model', loaded, [name]).next()
    if (value === undefined) throw new InputError(`${name}: found no sample, expected one`)
    thread.post({ prediction: value } satisfies PredictAnswer)
  } catch (error) {
    thread.post({ problem: messageOf(error) } satisfies PredictAnswer)
  }
}

// Not awaited here: bundlers make classic scripts of workers unless they are configured otherwise.
void main()
