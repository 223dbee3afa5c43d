/** Whether a process's memory grows. */

/** Bytes that a process has after garbage was collected. */
export interface MemorySample {
  readonly rss: number
  readonly heapUsed: number
  readonly external: number
  readonly arrayBuffers: number
}

/** A look at the own process's memory, without garbage where node was started with --expose-gc. */
export function sampleMemory(): MemorySample {
  globalThis.gc?.()
  const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage()
  return { rss, heapUsed, external, arrayBuffers }
}

/** Fewer samples than these tell nothing of growth. */
export const minSamples = 8

const mebibyte = 2 ** 20

/**
 * How many bytes the most of the last quarter of a run may lie above the most of its second quarter. How many vectors
 * are in use when one looks depends on chance, and so does how much lies in the buffers of libp2p (some MiB for each of
 * the streams) and how much the system has taken back of freed memory.
 */
export function allowedGrowth(vectorBytes: number): MemorySample {
  const external = 3 * vectorBytes + 32 * mebibyte
  return { rss: external + 96 * mebibyte, heapUsed: 8 * mebibyte, external, arrayBuffers: external }
}

/** The most bytes that a process may ever have: 14 vectors in use or not yet collected, and node itself. */
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
    const most = (part: readonly MemorySample[]) => Math.max(...part.map((sample) => sample[kind]))
    const [before, after] = [most(second), most(last)]
    if (after - before <= allowed[kind]) return []
    return [`${kind} grew from ${inMegabytes(before)} to ${inMegabytes(after)}, ${inMegabytes(allowed[kind])} allowed`]
  })
}

/** Bytes for people. */
export function inMegabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
