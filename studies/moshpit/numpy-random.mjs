import { mersenne } from 'pure-rand/generator/mersenne'

/** NumPy's draws of a seed: uniform numbers, normal ones by Marsaglia's polar method, a shuffle. */
export function numpyRandom(seed) {
  const generator = mersenne(seed)
  const word = () => generator.next() >>> 0
  const uniform = () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53
  let spare
  const normal = () => {
    if (spare !== undefined) {
      const value = spare
      spare = undefined
      return value
    }
    for (;;) {
      const x = 2 * uniform() - 1
      const y = 2 * uniform() - 1
      const square = x * x + y * y
      if (square >= 1 || square === 0) continue
      const factor = Math.sqrt((-2 * Math.log(square)) / square)
      spare = factor * x
      return factor * y
    }
  }
  const below = (bound) => {
    const mask = 2 ** (32 - Math.clz32(bound)) - 1
    for (;;) {
      const value = (word() & mask) >>> 0
      if (value <= bound) return value
    }
  }
  const shuffle = (list) => {
    for (let i = list.length - 1; i > 0; i--) {
      const j = below(i)
      const value = list[i]
      list[i] = list[j]
      list[j] = value
    }
    return list
  }
  return { uniform, normal, shuffle }
}
