import { InputError, type Random } from '@murmuration/core'
import { sizeOf } from '@murmuration/vectors'
import type { initializers } from '@tensorflow/tfjs-layers'
import { orthogonal } from './orthogonal.js'
import { tensorflow as tf } from './tensorflow.js'

/** An initialiser as layers write it into their configuration. */
interface Initialiser {
  readonly className: string
  readonly config: Readonly<Record<string, unknown>>
}

const rolling = ['RandomUniform', 'RandomNormal', 'TruncatedNormal', 'VarianceScaling', 'Orthogonal']

/**
 * The standard initialiser of TensorFlow.js's kernels, by name only: a layer built with it has zeros, in a small part
 * of the time, and {@link drawInitial} draws its values.
 */
export function glorotNormal(): ReturnType<typeof initializers.glorotNormal> {
  const initialiser = tf.initializers.glorotNormal({})
  initialiser.apply = (shape) => tf.zeros(shape as number[])
  return initialiser
}

/** Whether an initialiser is known to draw random numbers, without a seed of its own. */
export function isDrawn(initialiser: unknown): boolean {
  if (!isInitialiser(initialiser)) return false
  return rolling.includes(initialiser.className) && typeof initialiser.config.seed !== 'number'
}

/**
 * Whether a weight's first value needs no random numbers: its initialiser gives a constant or has a seed of its own. If
 * the initialiser is unknown, as in layers that users write, the built value decides.
 */
export function isFixed(initialiser: unknown, built: () => Float32Array): boolean {
  if (isInitialiser(initialiser)) return !isDrawn(initialiser)
  const values = built()
  return values.every((value) => value === values[0])
}

/**
 * Draws a weight's first value with this project's random numbers, so that it is the same on every peer and backend,
 * which TensorFlow.js does not promise for its own. The distribution is that of the initialiser; without a known one,
 * Glorot's uniform.
 */
export function drawInitial(shape: readonly number[], initialiser: unknown, random: Random): Float32Array {
  const { className, config } = isInitialiser(initialiser) ? initialiser : glorotUniform
  const draw = (drawOne: () => number) => {
    const values = new Float32Array(sizeOf(shape))
    for (let k = 0; k < values.length; k++) values[k] = drawOne()
    return values
  }
  switch (className) {
    case 'RandomUniform': {
      const low = numberIn(config, 'minval', -0.05)
      const high = numberIn(config, 'maxval', 0.05)
      return draw(() => low + (high - low) * random.uniform())
    }
    case 'RandomNormal':
    case 'TruncatedNormal': {
      const mean = numberIn(config, 'mean', 0)
      const deviation = numberIn(config, 'stddev', 0.05)
      const drawOne = className === 'RandomNormal' ? () => random.normal() : () => truncated(random)
      return draw(() => mean + deviation * drawOne())
    }
    case 'Orthogonal':
      return orthogonal(shape, numberIn(config, 'gain', 1), random)
    default:
      return draw(varianceScaling(shape, config, random))
  }
}

const glorotUniform: Initialiser = {
  className: 'VarianceScaling',
  config: { scale: 1, mode: 'fanAvg', distribution: 'uniform' }
}

/**
 * Variance `scale / fan`: Glorot and Bengio 2010, eq. 16, with the mean of both fans; He et al. 2015, eq. 10, with
 * fanIn.
 */
function varianceScaling(shape: readonly number[], config: Initialiser['config'], random: Random): () => number {
  const variance = numberIn(config, 'scale', 1) / Math.max(1, fanOf(shape, config.mode))
  if (config.distribution === 'uniform') {
    const limit = Math.sqrt(3 * variance)
    return () => limit * (2 * random.uniform() - 1)
  }
  const deviation = Math.sqrt(variance)
  return () => deviation * truncated(random)
}

/** How many inputs or outputs a weight connects, or the mean of both. The last two axes are inputs and outputs. */
function fanOf(shape: readonly number[], mode: unknown): number {
  const inputs = shape.at(-2) ?? 1
  const outputs = shape.at(-1) ?? 1
  const taps = sizeOf(shape.slice(0, -2))
  if (mode === 'fanIn') return taps * inputs
  return mode === 'fanOut' ? taps * outputs : (taps * (inputs + outputs)) / 2
}

/** A normal draw, repeated while it is more than two standard deviations away. */
function truncated(random: Random): number {
  for (;;) {
    const value = random.normal()
    if (Math.abs(value) <= 2) return value
  }
}

function numberIn(config: Initialiser['config'], key: string, standard: number): number {
  const value = config[key] ?? standard
  if (typeof value === 'number') return value
  throw new InputError(`an initialiser's ${key} is ${JSON.stringify(value)}, expected a number`)
}

function isInitialiser(value: unknown): value is Initialiser {
  return typeof value === 'object' && value !== null && 'className' in value && 'config' in value
}
