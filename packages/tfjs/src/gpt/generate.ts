import { pow, InputError, invariant, type Random } from '@murmuration/core'

/** How a text is continued. */
export interface Generation {
  /** The number of characters. */
  readonly length: number
  /**
   * T of p_i^(1/T), by which characters are drawn, p being their probabilities (Ackley, Hinton and Sejnowski 1985, eq.
   * 3): 1 is the model's own distribution, lower values favour probable characters, and 0 takes the most probable one.
   */
  readonly temperature: number
  readonly random: Random
}

/** The part of a trained model that continues texts. */
export interface CharacterModel {
  /** How many characters it sees. */
  readonly context: number
  /**
   * For a window of numbers of characters, as long as the context: for each place the probabilities of the next
   * character, one after the other.
   */
  probabilitiesOf(window: Float32Array): Float32Array | Promise<Float32Array>
}

/**
 * The characters that continue a text, one by one; each is predicted from those before it, as far as the model sees.
 * `beginning` has at least one. Throws an {@link InputError} for an empty beginning, and for a temperature or a length
 * that makes no sense.
 */
export async function* generated(
  beginning: readonly number[],
  { context, probabilitiesOf }: CharacterModel,
  { length, temperature, random }: Generation
): AsyncGenerator<number> {
  check(beginning, length, temperature)
  const text = [...beginning]
  for (let k = 0; k < length; k++) {
    const visible = text.slice(-context)
    // Characters after the predicted place change nothing.
    const window = new Float32Array(context)
    window.set(visible)
    const all = await probabilitiesOf(window)
    const classes = all.length / context
    const next = drawn(all.subarray((visible.length - 1) * classes, visible.length * classes), temperature, random)
    text.push(next)
    yield next
  }
}

function check({ length: given }: readonly number[], length: number, temperature: number): void {
  if (given === 0) throw new InputError('the beginning of the text is empty, expected at least one character')
  if (!Number.isSafeInteger(length) || length < 1)
    throw new InputError(`the length is ${length}, expected a whole number of at least 1`)
  if (!(temperature >= 0 && temperature < Infinity))
    throw new InputError(`the temperature is ${temperature}, expected a number of at least 0, such as 0.8`)
}

/**
 * A class drawn by its probability, in float64 and in the order of the classes, so that the same draw gives the same
 * class.
 */
function drawn(probabilities: Float32Array, temperature: number, random: Random): number {
  const largest = probabilities.reduce((max, each) => Math.max(max, each), 0)
  invariant(largest > 0, 'the model gave no class a positive probability')
  if (temperature === 0) return probabilities.indexOf(largest)
  const weights = Array.from(probabilities, (each) => pow(each / largest, 1 / temperature))
  let remaining = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0)
  const found = weights.findIndex((weight) => (remaining -= weight) < 0)
  return found < 0 ? probabilities.indexOf(largest) : found
}
