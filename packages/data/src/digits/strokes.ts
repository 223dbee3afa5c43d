import type { Random } from '@murmuration/core'
import { type Point, type Template, type Stroke, templates } from './templates.js'

/** Edge of an image in pixels. */
export const edge = 28

/** A straight piece of a stroke, in pixels, with the pen's radius at both ends. */
export interface StrokeSegment {
  readonly from: Point
  readonly to: Point
  readonly radiusFrom: number
  readonly radiusTo: number
}

type MovePoint = (point: Point) => Point

/** How many straight pieces connect two points of a template. */
const piecesPerSpan = 4

/**
 * Writes `digit` with random variations. Uses only operations that IEEE 754 rounds exactly (no sine, no logarithm), so
 * that the images have the same bits on every machine.
 */
export function write(digit: number, random: Random): StrokeSegment[] {
  const ways = templates[digit]
  const wobbled = wobble(ways[random.integer(ways.length)], random)
  const bent = transform(wobbled, slant(random))
  const placed = transform(bent, placement(bent, random))
  const pen = around(random, 1.2, 0.45)
  return placed.flatMap((stroke) => ink(trace(stroke), pen, random))
}

/** A draw around `centre`, at most `reach` away, bell-shaped: the sum of three even draws. */
export function around(random: Random, centre: number, reach: number): number {
  return centre + (reach * (2 * (random.uniform() + random.uniform() + random.uniform()) - 3)) / 3
}

function transform(template: Template, move: MovePoint): Template {
  return template.map((stroke) => stroke.map((curve) => curve.map(move)))
}

/** Moves every point a little. Points at the same position, where strokes meet, move together. */
function wobble(template: Template, random: Random): Template {
  const moved = new Map<string, Point>()
  return transform(template, ([x, y]) => {
    const key = `${x},${y}`
    const point = moved.get(key) ?? [around(random, x, 0.15), around(random, y, 0.15)]
    moved.set(key, point)
    return point
  })
}

/** Rotation, shear and scaling about the middle of the box. */
function slant(random: Random): MovePoint {
  // (1 − t², 2t) / (1 + t²) is a rotation by 2 arctan t: at most about 28°.
  const t = around(random, 0, 0.25)
  const cosine = (1 - t * t) / (1 + t * t)
  const sine = (2 * t) / (1 + t * t)
  const shear = around(random, 0.12, 0.5)
  const width = around(random, 0.8, 0.35)
  return ([x, y]) => {
    const across = (x - 0.5 - shear * (y - 0.5)) * width
    const down = y - 0.5
    return [cosine * across - sine * down, sine * across + cosine * down]
  }
}

/** Scales the longer side to about 20 pixels and puts the middle near the image's middle, as MNIST does. */
function placement(template: Template, random: Random): MovePoint {
  const points = template.flat(2)
  const [left, right] = extent(points.map(([x]) => x))
  const [top, bottom] = extent(points.map(([, y]) => y))
  const factor = around(random, 18, 4) / Math.max(right - left, bottom - top)
  const x0 = around(random, edge / 2, 3)
  const y0 = around(random, edge / 2, 3)
  return ([x, y]) => [x0 + factor * (x - (left + right) / 2), y0 + factor * (y - (top + bottom) / 2)]
}

function extent(values: readonly number[]): readonly [number, number] {
  return [Math.min(...values), Math.max(...values)]
}

/** The points of a stroke with smooth curves between them. */
function trace(stroke: Stroke): Point[] {
  return stroke.flatMap((curve, index) => (index === 0 ? [curve[0], ...smooth(curve)] : smooth(curve)))
}

/** A uniform Catmull-Rom spline through `curve`, without its first point. */
function smooth(curve: readonly Point[]): Point[] {
  const points: Point[] = []
  for (let span = 0; span + 1 < curve.length; span++) {
    const b = curve[span]
    const c = curve[span + 1]
    const a = curve[span - 1] ?? b
    const d = curve[span + 2] ?? c
    for (let piece = 1; piece <= piecesPerSpan; piece++) {
      const t = piece / piecesPerSpan
      points.push([blend(a[0], b[0], c[0], d[0], t), blend(a[1], b[1], c[1], d[1], t)])
    }
  }
  return points
}

function blend(a: number, b: number, c: number, d: number, t: number): number {
  return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
}

/** Straight pieces whose radius changes from the pressure at the start of the stroke to that at its end. */
function ink(points: readonly Point[], pen: number, random: Random): StrokeSegment[] {
  const first = around(random, pen, 0.3)
  const last = around(random, pen, 0.3)
  const radius = (index: number) => Math.max(0.55, first + ((last - first) * index) / (points.length - 1))
  return points
    .slice(1)
    .map((to, index) => ({ from: points[index], to, radiusFrom: radius(index), radiusTo: radius(index + 1) }))
}
