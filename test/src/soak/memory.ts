/** Whether a process's memory grows. */

/** The memory of a process after garbage collection, in bytes. */
export interface MemorySample {
  readonly rss: number
  readonly heapUsed: number
  readonly external: number
  readonly arrayBuffers: number
}

/** Measures this process's memory, without garbage where node was started with --expose-gc. */
export function sampleMemory(): MemorySample {
  globalThis.gc?.()
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage()
  return { rss, heapUsed, external, arrayBuffers }
}

/** Fewer samples than these say nothing about growth. */
export const minSamples = 8

const mebibyte = 2 ** 20

/**
 * How many bytes the maximum of the last quarter of a run may lie above the maximum of its second quarter. The number
 * of vectors in use at a measurement is random; so are the bytes in the buffers of libp2p (some MiB for each of the
 * streams), and the freed memory that the system has reclaimed.
 */
export function allowedGrowth(vectorBytes: number): MemorySample {
  const external = 3 * vectorBytes + 32 * mebibyte
  return { rss: external + 96 * mebibyte, heapUsed: 8 * mebibyte, external, arrayBuffers: external }
}

/** The maximum memory of a process: 14 vectors in use or not yet collected, and node itself. */
export function allowedPeak(vectorBytes: number): number {
  return 12 * vectorBytes + 320 * mebibyte
}

/** What has grown from the second quarter of the samples to the last by more than is allowed, in words. */
export function growthOf(samples: readonly MemorySample[], allowed: MemorySample): string[] {
  if (samples.length < minSamples) return []
  const quarter = Math.floor(samples.length / 4)
  const second = samples.slice(quarter, 2 * quarter)
  const last = samples.slice(-quarter)
  const kinds = Object.keys(allowed) as (keyof MemorySample)[]
  return kinds.flatMap((kind) => {
    const max = (part: readonly MemorySample[]) => Math.max(...part.map((sample) => sample[kind]))
    const before = max(second)
    const after = max(last)
    if (after - before <= allowed[kind]) return []
    return [`${kind} grew from ${inMegabytes(before)} to ${inMegabytes(after)}, ${inMegabytes(allowed[kind])} allowed`]
  })
}

/** Bytes for people. */
export function inMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
