import { duration } from '@murmuration/files'
import { z } from 'zod'
import { moved } from '../training/algorithm-choice.js'
import { codecSchema, optimiserSchema, trainingSchema } from '../training/training-file.js'

const { batch, accumulate, clip, weightDecay } = trainingSchema.shape

const codec = codecSchema.refine((name) => name !== 'auto', {
  error: 'a codec by name: auto chooses by the measured speed of real links'
})
const rate = trainingSchema.shape.rate.unwrap().shape
const initial = rate.initial.unwrap().meta({ description: 'After the warm-up' })
const warmup = rate.warmup.unwrap().meta({ description: 'Rounds over which the rate grows to the initial one' })
const decay = rate.decay
  .unwrap()
  .meta({ description: 'constant; cosine, down to 0 at the last round; or { at: [200, 300], factor: 0.1 }' })

const scale = z.enum(['none', 'peers', '1/peers']).meta({
  description:
    'peers: the rate times their number, as the joint batch grows with it (Goyal et al. 2017). 1/peers: divided by it, for those who take a step with every single gradient'
})

/** How the contenders train; as in training files, but for the defaults. */
export const simulatedTrainingSchema = z
  .strictObject({
    batch,
    rate: z
      .strictObject({
        initial: initial.default(0.1),
        warmup: warmup.default(0),
        decay: decay.default('constant'),
        scale: scale.default('none')
      })
      .prefault({})
      .meta({ description: 'The learning rate' }),
    accumulate,
    optimiser: optimiserSchema
      .prefault('sgd')
      .meta({ description: 'What a step makes of a gradient: sgd, adam or adamw, or { name: sgd, momentum: 0.9 }' }),
    clip,
    codec: codec.default('float32').meta({
      description:
        'How vectors are written on the links, as in training files; the time that coding takes is not counted'
    }),
    weightDecay: weightDecay.unwrap().default(0).meta({ description: 'Times the parameters, added to the gradient' }),
    momentum: moved.momentum,
    nesterov: moved.nesterov,
    patience: duration()
      .prefault('1 h')
      .meta({ description: 'How long anything is waited for before who did not send it is taken for lost' })
  })
  .prefault({})
  .meta({ description: 'How the contenders train' })

export type SimulatedTraining = z.output<typeof simulatedTrainingSchema>

/** What a contender may have otherwise than the rest. */
export const overrides = {
  batch: batch.unwrap().optional().meta({ description: 'In place of training.batch' }),
  codec: codec.optional().meta({ description: 'In place of training.codec' }),
  rate: z
    .strictObject({
      initial: initial.optional(),
      warmup: warmup.optional(),
      decay: decay.optional(),
      scale: scale.optional()
    })
    .optional()
    .meta({ description: 'In place of what training.rate says of the same' })
}

interface Overrides {
  readonly batch?: number | undefined
  readonly codec?: string | undefined
  readonly rate?: Partial<SimulatedTraining['rate']> | undefined
  readonly optimiser?: SimulatedTraining['optimiser'] | undefined
}

/** The training with what a contender has otherwise. */
export function override(
  training: SimulatedTraining,
  { batch, codec, optimiser, rate = {} }: Overrides
): SimulatedTraining {
  return {
    ...training,
    batch: batch ?? training.batch,
    codec: codec ?? training.codec,
    optimiser: optimiser ?? training.optimiser,
    rate: {
      initial: rate.initial ?? training.rate.initial,
      warmup: rate.warmup ?? training.rate.warmup,
      decay: rate.decay ?? training.rate.decay,
      scale: rate.scale ?? training.rate.scale
    }
  }
}

/** What a rate is multiplied by among so many peers. */
export function scaleOf({ scale: kind }: SimulatedTraining['rate'], peers: number): number {
  if (kind === 'none') return 1
  return kind === 'peers' ? peers : 1 / peers
}
