import { createRandom } from '@murmuration/random'
import type { Source } from '../source.js'
import { edge, write } from './strokes.js'
import { draw, augment } from './raster.js'
import { shrink } from './shrink.js'

/**
 * Images of handwritten-like digits, 28 × 28 pixels from 0 (paper) to 1 (ink), drawn from the seed. Image `k` shows the
 * digit `k` mod 10 and depends only on the seed and `k`, so that a peer draws only the images of its own part.
 *
 * @param count - at least 1
 * @param size - pixels of an edge; with fewer than 28, the image is drawn with 28 and then averaged
 */
export function drawnDigits(count: number, seed: number, size = edge): Source {
  const full = new Float32Array(edge * edge)
  return {
    count,
    inputShape: [size, size, 1],
    targetShape: [],
    targets: Float32Array.from({ length: count }, (_, index) => index % 10),
    classes: 10,
    preprocessing: { kind: 'image' },
    isDrawn: true,
    read: (index, out) => {
      if (size === edge) return drawDigit(index % 10, seed, index, out)
      drawDigit(index % 10, seed, index, full)
      shrink(full, edge, out, size)
    }
  }
}

/** Draws one image into `out`, 784 numbers. */
function drawDigit(digit: number, seed: number, index: number, out: Float32Array): void {
  const random = createRandom(seed, 'digits', String(index))
  const segments = write(digit, random)
  out.fill(0)
  draw(out, segments)
  augment(out, segments, random)
}
