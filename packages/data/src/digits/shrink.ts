/**
 * Makes a square image smaller: each pixel of `out` is the mean of the area that it covers; partly covered pixels of
 * `image` count in part. Works for any size up to that of `image`.
 *
 * @param edge - pixels of an edge of `image`
 * @param size - pixels of an edge of `out`; at most `edge`
 */
export function shrink(image: Float32Array, edge: number, out: Float32Array, size: number): void {
  const step = edge / size
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      out[row * size + column] = meanOver(image, edge, row * step, column * step, step)
    }
  }
}

/** The mean over the square whose upper left corner is `top`, `left` and whose edge is `step` pixels long. */
function meanOver(image: Float32Array, edge: number, top: number, left: number, step: number): number {
  const bottom = Math.min(edge, top + step)
  const right = Math.min(edge, left + step)
  let sum = 0
  for (let y = Math.floor(top); y < bottom; y++) {
    const height = Math.min(y + 1, bottom) - Math.max(y, top)
    for (let x = Math.floor(left); x < right; x++) {
      sum += height * (Math.min(x + 1, right) - Math.max(x, left)) * image[y * edge + x]
    }
  }
  return sum / (step * step)
}
