import type { Random } from '@murmuration/core'
import { around, edge, type StrokeSegment } from './strokes.js'

/** Simulates what pen, paper and scanner do to an image. */
export function augment(image: Float32Array, segments: readonly StrokeSegment[], random: Random): void {
  if (random.uniform() < 0.25) occlude(image, segments[random.integer(segments.length)], random)
  blur(image, around(random, 0.1, 0.1))
  scan(image, random)
}

/** Draws `segments` into an empty image: 1 inside the pen's track, and a soft edge one pixel wide. */
export function draw(image: Float32Array, segments: readonly StrokeSegment[]): void {
  for (const segment of segments) drawSegment(image, segment)
}

function drawSegment(image: Float32Array, { from, to, radiusFrom, radiusTo }: StrokeSegment): void {
  const reach = Math.max(radiusFrom, radiusTo) + 0.5
  const [left, right] = pixels(Math.min(from[0], to[0]) - reach, Math.max(from[0], to[0]) + reach)
  const [top, bottom] = pixels(Math.min(from[1], to[1]) - reach, Math.max(from[1], to[1]) + reach)
  const dx = to[0] - from[0]
  const dy = to[1] - from[1]
  const square = Math.max(dx * dx + dy * dy, 1e-12)
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const px = x + 0.5 - from[0]
      const py = y + 0.5 - from[1]
      const along = clamp((px * dx + py * dy) / square)
      const ex = px - along * dx
      const ey = py - along * dy
      const radius = radiusFrom + along * (radiusTo - radiusFrom)
      const value = clamp(radius + 0.5 - Math.sqrt(ex * ex + ey * ey))
      if (value > image[y * edge + x]) image[y * edge + x] = value
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
function occlude(image: Float32Array, { from }: StrokeSegment, random: Random): void {
  const radius = around(random, 1.7, 0.8)
  const [left, right] = pixels(from[0] - radius, from[0] + radius)
  const [top, bottom] = pixels(from[1] - radius, from[1] + radius)
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const dx = x + 0.5 - from[0]
      const dy = y + 0.5 - from[1]
      image[y * edge + x] *= clamp(Math.sqrt(dx * dx + dy * dy) - radius + 1)
    }
  }
}

/** Spreads `fraction` of every pixel's ink to its neighbours: along the rows, then along the columns. */
function blur(image: Float32Array, fraction: number): void {
  for (let line = 0; line < edge; line++) blurLine(image, line * edge, 1, fraction)
  for (let line = 0; line < edge; line++) blurLine(image, line, edge, fraction)
}

function blurLine(image: Float32Array, start: number, step: number, fraction: number): void {
  let before = 0
  for (let index = 0; index < edge; index++) {
    const position = start + index * step
    const here = image[position]
    const after = index + 1 < edge ? image[position + step] : 0
    image[position] = here + fraction * (before + after - 2 * here)
    before = here
  }
}

/** A scanner with its own contrast, and noise that is strongest where there is ink. */
function scan(image: Float32Array, random: Random): void {
  const contrast = around(random, 1, 0.25)
  for (let index = 0; index < image.length; index++) {
    const value = image[index]
    if (value > 0) image[index] = clamp(contrast * value + 0.25 * (random.uniform() - 0.5))
  }
}
