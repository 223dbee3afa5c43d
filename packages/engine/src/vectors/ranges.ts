import { invariant, type Schema } from '@murmuration/core'
import { offsetsOf, sizeOf } from '@murmuration/vectors'
import type { Range } from './vector.js'

/** Whether the flat vector is exchanged as one, or tensor by tensor, in the order of the model's layers. */
export type Fusion = 'fused' | 'per-tensor'

/** Whether each of several exchanges waits for the answer to the one before. */
export type Calls = 'streamed' | 'blocking'

/** Where a tensor lies in the flat vector, and its shape. */
export interface Tensor extends Range {
  readonly shape: readonly number[]
}

/** The tensors that have elements. */
export function tensorsOf(schema: Schema): readonly Tensor[] {
  const offsets = offsetsOf(schema)
  return schema
    .map(({ shape }, index) => ({ offset: offsets[index], length: sizeOf(shape), shape }))
    .filter(({ length }) => length > 0)
}

/** What is exchanged at a time: with 'fused' the whole flat vector, with 'per-tensor' one range for each tensor. */
export function rangesOf(tensors: readonly Range[], fusion: Fusion): readonly Range[] {
  return fusion === 'per-tensor'
    ? tensors.map(({ offset, length }) => ({ offset, length }))
    : [{ offset: 0, length: tensors.reduce((sum, { length }) => sum + length, 0) }]
}

/**
 * Exactly `count` consecutive parts whose lengths differ by at most one. Some are empty when there are more parts than
 * elements.
 */
export function segmentsOf({ offset, length }: Range, count: number): readonly Range[] {
  const boundary = (part: number) => offset + Math.floor((part * length) / count)
  return Array.from({ length: count }, (_, part) => ({
    offset: boundary(part),
    length: boundary(part + 1) - boundary(part)
  }))
}

/** At most `count` parts as {@link segmentsOf} cuts them, none of them empty. */
export function cut(range: Range, count: number): readonly Range[] {
  invariant(Number.isSafeInteger(count) && count >= 1, () => `a range cannot be cut into ${count} chunks`)
  return segmentsOf(range, Math.min(count, range.length))
}

/**
 * The ranges that each of `count` ranks owns: its segment of every one of `ranges`, as {@link segmentsOf} cuts it, in
 * at most `chunks` chunks.
 */
export function rangesByRank(ranges: readonly Range[], count: number, chunks: number): readonly (readonly Range[])[] {
  const segments = ranges.map((range) => segmentsOf(range, count))
  return Array.from({ length: count }, (_, rank) => segments.flatMap((all) => cut(all[rank], chunks)))
}

/**
 * Divides the flat vector among `count` servers: 'fused' into ranges of the same length; 'per-tensor' into whole
 * tensors, the largest first, each to the server with the least so far (Graham 1969, longest processing time first).
 * The ranges of a server are in the order of the flat vector. A server may get none.
 */
export function shardsOf(tensors: readonly Range[], fusion: Fusion, count: number): readonly (readonly Range[])[] {
  const ranges = rangesOf(tensors, fusion)
  if (fusion === 'fused') return segmentsOf(ranges[0], count).map((segment) => cut(segment, 1))
  const shards = Array.from({ length: count }, () => ({ ranges: [] as Range[], load: 0 }))
  const largestFirst = [...ranges].sort((left, right) => right.length - left.length || left.offset - right.offset)
  for (const range of largestFirst) {
    const least = shards.reduce((best, shard) => (shard.load < best.load ? shard : best))
    least.ranges.push(range)
    least.load += range.length
  }
  return shards.map((shard) => shard.ranges.sort((left, right) => left.offset - right.offset))
}
