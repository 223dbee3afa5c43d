import { createRandom, direction } from '@murmuration/random'
import { type Source, sourceOf } from './source.js'

/** The distance between the means of the two classes, in standard deviations of either. */
const separation = 3

/**
 * Samples of two alternating classes, 0 and 1: normal draws of variance 1 about two means that lie `separation` apart
 * in a random direction, on either side of the origin; then every feature is scaled to variance 1 over both classes.
 * The best boundary between them is a plane through the origin, and is right for a fraction Φ(separation / 2) = 93.3 %
 * of them.
 *
 * A sample depends only on the seed, the features and its number, not on the count.
 *
 * @param count - at least 1
 * @param features - how many numbers each sample has; at least 1
 */
export function drawnGaussians(count: number, seed: number, features: number): Source {
  const mean = direction(features, createRandom(seed, 'gaussians', 'means')).map((part) => (part * separation) / 2)
  const scale = mean.map((part) => 1 / Math.sqrt(1 + part * part))
  const random = createRandom(seed, 'gaussians', 'samples')
  const inputs = new Float32Array(count * features)
  for (let sample = 0; sample < count; sample++) {
    const side = sample % 2 === 0 ? -1 : 1
    for (let i = 0; i < features; i++) {
      inputs[sample * features + i] = (side * mean[i] + random.normal()) * scale[i]
    }
  }
  return sourceOf({
    count,
    inputShape: [features],
    inputs,
    targetShape: [],
    targets: Float32Array.from({ length: count }, (_, sample) => sample % 2),
    classes: 2
  })
}
