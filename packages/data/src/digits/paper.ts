import type { Random } from '@murmuration/core'
import { around, edge, type Segment } from './hand.js'

/** What happens to a picture between the pen and the scanner. */
export function spoil(picture: Float32Array, segments: readonly Segment[], random: Random): void {
  if (random.uniform() < 0.25) rubOut(picture, segments[random.integer(segments.length)], random)
  blur(picture, around(random, 0.1, 0.1))
  scan(picture, random)
}

/** Draws `segments` into an empty picture: 1 inside the pen's way, and a soft edge one pixel wide. */
export function draw(picture: Float32Array, segments: readonly Segment[]): void {
  for (const segment of segments) drawSegment(picture, segment)
}

function drawSegment(picture: Float32Array, { from, to, radiusFrom, radiusTo }: Segment): void {
  const reach = Math.max(radiusFrom, radiusTo) + 0.5
  const [left, right] = pixels(Math.min(from[0], to[0]) - reach, Math.max(from[0], to[0]) + reach)
  const [top, bottom] = pixels(Math.min(from[1], to[1]) - reach, Math.max(from[1], to[1]) + reach)
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]]
  const square = Math.max(dx * dx + dy * dy, 1e-12)
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const [px, py] = [x + 0.5 - from[0], y + 0.5 - from[1]]
      const along = clamp((px * dx + py * dy) / square)
      const [ex, ey] = [px - along * dx, py - along * dy]
      const radius = radiusFrom + along * (radiusTo - radiusFrom)
      const value = clamp(radius + 0.5 - Math.sqrt(ex * ex + ey * ey))
      if (value > picture[y * edge + x]) picture[y * edge + x] = value
    }
  }
}

/** The pixels between two coordinates, as [first, end). */
function pixels(low: number, high: number): readonly [number, number] {
  return [Math.max(0, Math.floor(low)), Math.min(edge, Math.ceil(high))]
}

function clamp(value: number): number {
  return Math.max(0, Math.min(1, value))
}

/** A round gap where the pen did not write. */
function rubOut(picture: Float32Array, { from }: Segment, random: Random): void {
  const radius = around(random, 1.7, 0.8)
  const [left, right] = pixels(from[0] - radius, from[0] + radius)
  const [top, bottom] = pixels(from[1] - radius, from[1] + radius)
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const [dx, dy] = [x + 0.5 - from[0], y + 0.5 - from[1]]
      picture[y * edge + x] *= clamp(Math.sqrt(dx * dx + dy * dy) - radius + 1)
    }
  }
}

/** Lets `share` of every pixel's ink run into its neighbours: along the rows, then along the columns. */
function blur(picture: Float32Array, share: number): void {
  for (let line = 0; line < edge; line++) blurLine(picture, line * edge, 1, share)
  for (let line = 0; line < edge; line++) blurLine(picture, line, edge, share)
}

function blurLine(picture: Float32Array, start: number, step: number, share: number): void {
  let before = 0
  for (let index = 0; index < edge; index++) {
    const at = start + index * step
    const here = picture[at]
    const after = index + 1 < edge ? picture[at + step] : 0
    picture[at] = here + share * (before + after - 2 * here)
    before = here
  }
}

/** A scanner with its own contrast, and grain that is seen most where there is ink. */
function scan(picture: Float32Array, random: Random): void {
  const contrast = around(random, 1, 0.25)
  for (let index = 0; index < picture.length; index++) {
    const value = picture[index]
    if (value > 0) picture[index] = clamp(contrast * value + 0.25 * (random.uniform() - 0.5))
  }
}
