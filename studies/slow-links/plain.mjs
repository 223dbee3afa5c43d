// Plain SGD on all data with the joint batch: the target is a fraction of its accuracy.
import { createRandom } from '@murmuration/random'

/** The accuracy after each `every` rounds. */
export async function plainSgd(union, { seed, rate, momentum = 0.9, batch, rounds, every }) {
  const random = createRandom(seed, 'plain')
  const x = await union.initialise(seed).run()
  const v = new Float32Array(x.length)
  const curve = []
  for (let round = 0; round < rounds; round++) {
    const places = Uint32Array.from({ length: batch }, () => random.integer(union.samples))
    const { vector } = await union.gradient(x, places, round).run()
    for (let i = 0; i < x.length; i++) {
      v[i] = momentum * v[i] + vector[i]
      x[i] -= rate * v[i]
    }
    if ((round + 1) % every === 0) curve.push([round + 1, (await union.evaluate(x).run()).accuracy])
  }
  return curve
}
