/**
 * Compressors: Q maps a vector v, tensor by tensor, to what is sent 'packed'. Q contracts:
 * `E ‖Q(v) − v‖² ≤ (1 − ω) ‖v‖²`. A compressor that is not `unbiased` loses a part for good; it needs error feedback,
 * or copies that the next round corrects.
 */
import type { Random } from '@murmuration/core'
import { keepLargest, norm } from '@murmuration/vectors'
import * as z from 'zod'
import type { Range, Vector } from '@murmuration/engine'

/** What compressing needs of a node. */
export interface Compressing {
  readonly tensors: readonly Range[]
  random(purpose: string, round: number): Random
}

type CompressorSettings = z.output<typeof compressorSettings>

const fraction = z.number().gt(0).max(1).default(0.01)
const levels = z.int().min(1).max(127).default(7)
const unbiased = z.boolean().default(false)
const bits = z.int().min(1).max(8).optional()

/** Which compressor, and its options. */
export const compressorSettings = z.discriminatedUnion('name', [
  /**
   * The k = ⌈fraction · d⌉ largest of d numbers: ω = fraction (Stich, Cordonnier, Jaggi, NeurIPS 2018). With `bits`,
   * those are sorted into 2^bits equal bins that span 6σ around their mean μ, and each becomes the mean of its bin
   * (Sarfi et al. 2025). This projects what was kept, and the bins meet at μ, so ‖Q‖² ≥ k μ² + (Σ |v − μ|)² / k ≥
   * ‖kept‖₁² / 2k ≥ ‖kept‖² / 2k ≥ ‖v‖² / 2d: ω = 1 / 2d, though mostly it is far more.
   */
  z.strictObject({ name: z.literal('top-k'), fraction, bits }),
  /** As many at random places: ω = fraction; if unbiased, multiplied by d / k. */
  z.strictObject({ name: z.literal('random-k'), fraction, unbiased }),
  /**
   * QSGD (Alistarh et al., NIPS 2017): `‖v‖ sign(v) l / s`, where l is s |v| / ‖v‖ rounded up or down at random so that
   * its mean is exact. Unless unbiased, divided by τ = 1 + min(d / s², √d / s), so that ω = 1 / τ (Koloskova, Stich,
   * Jaggi, ICML 2019, section 3.5).
   */
  z.strictObject({ name: z.literal('qsgd'), levels, unbiased }),
  /**
   * `‖v‖₁ / d · sign(v)`: ω = ‖v‖₁² / (d ‖v‖₂²), at least 1 / d (Karimireddy et al., ICML 2019). One bit per number.
   */
  z.strictObject({ name: z.literal('sign') })
])

/** Q(v) in round k. Random draws depend on the round, the peer and `purpose`. */
export function compress(
  settings: CompressorSettings,
  v: Vector,
  node: Compressing,
  purpose: string,
  k: number
): Vector {
  return v.arena.compute(v.length, (out, from) => {
    // All at once: Q of a tensor depends on all of its numbers.
    if (from > 0) return
    const random = node.random(purpose, k)
    for (const { offset, length } of node.tensors)
      compressTensor(
        settings,
        v.values.subarray(offset, offset + length),
        out.subarray(offset, offset + length),
        random
      )
  })
}

/** ω of a tensor of `length` numbers: the guaranteed contraction, on average over the draws. */
export function contractionOf(settings: CompressorSettings, length: number): number {
  if (settings.name === 'qsgd') return 1 / variance(settings.levels, length)
  if (settings.name === 'top-k' && settings.bits !== undefined) return 1 / (2 * length)
  return settings.name === 'sign' ? 1 / length : settings.fraction
}

/** τ: without scaling the mean of ‖Q(v)‖² is at most τ ‖v‖². */
function variance(levels: number, length: number): number {
  return 1 + Math.min(length / levels ** 2, Math.sqrt(length) / levels)
}

function compressTensor(settings: CompressorSettings, v: Float32Array, out: Float32Array, random: Random): void {
  const { name } = settings
  if (name === 'top-k') {
    keepLargest(v, countOf(settings.fraction, v.length), out)
    if (settings.bits !== undefined) useBinMeans(out, 2 ** settings.bits)
    return
  }
  if (name === 'random-k') return keepRandom(v, countOf(settings.fraction, v.length), settings.unbiased, out, random)
  if (name === 'qsgd') return quantise(v, settings.levels, settings.unbiased, out, random)
  const mean = v.reduce((sum, value) => sum + Math.abs(value), 0) / v.length
  for (let i = 0; i < v.length; i++) out[i] = v[i] < 0 ? -mean : mean
}

function countOf(fraction: number, length: number): number {
  return Math.ceil(fraction * length * (1 - 1e-12))
}

/** Replaces each number that is not 0 by the mean of those in its bin; numbers beyond 3σ are in the outermost bins. */
function useBinMeans(out: Float32Array, bins: number): void {
  const kept = out.filter((value) => value !== 0)
  const mean = kept.reduce((sum, value) => sum + value, 0) / kept.length
  const σ = Math.sqrt(kept.reduce((sum, value) => sum + (value - mean) ** 2, 0) / kept.length)
  const binOf = (value: number) => {
    const place = σ === 0 ? 0 : Math.floor(((value - mean) / (6 * σ)) * bins)
    return Math.min(Math.max(place + bins / 2, 0), bins - 1)
  }
  const sums = new Float64Array(bins)
  const counts = new Uint32Array(bins)
  for (const value of kept) {
    sums[binOf(value)] += value
    counts[binOf(value)]++
  }
  for (let i = 0; i < out.length; i++) if (out[i] !== 0) out[i] = sums[binOf(out[i])] / counts[binOf(out[i])]
}

/**
 * Every set of `count` places is equally likely: a place is taken with probability (to take) / (places left) (Knuth,
 * algorithm S).
 */
function keepRandom(v: Float32Array, count: number, isUnbiased: boolean, out: Float32Array, random: Random): void {
  const scale = isUnbiased ? v.length / count : 1
  let left = count
  for (let i = 0; i < v.length; i++) {
    const isKept = random.uniform() * (v.length - i) < left
    if (isKept) left--
    out[i] = isKept ? scale * v[i] : 0
  }
}

function quantise(v: Float32Array, levels: number, isUnbiased: boolean, out: Float32Array, random: Random): void {
  const length = norm(v)
  const unit = length / levels / (isUnbiased ? 1 : variance(levels, v.length))
  for (let i = 0; i < v.length; i++) {
    const level = length === 0 ? 0 : (levels * Math.abs(v[i])) / length
    const whole = Math.floor(level) + (random.uniform() < level - Math.floor(level) ? 1 : 0)
    out[i] = whole === 0 ? 0 : Math.sign(v[i]) * unit * whole
  }
}
