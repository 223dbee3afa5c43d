import type { Random } from '@murmuration/core'

/** A vector of normal draws, of mean 0 and variance 1. */
export function normals(size: number, random: Random): Float64Array {
  const draws = new Float64Array(size)
  for (let i = 0; i < size; i++) draws[i] = random.normal()
  return draws
}

/** A point of the unit sphere, evenly drawn. */
export function direction(size: number, random: Random): Float64Array {
  const vector = normals(size, random)
  let square = 0
  for (const value of vector) square += value * value
  const length = Math.sqrt(square)
  return vector.map((value) => value / length)
}
