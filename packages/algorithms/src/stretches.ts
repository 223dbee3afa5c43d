import { invariant, type Schema } from '@murmuration/core'
import { lengthOf, offsetsOf, sizeOf } from '@murmuration/vectors'

/** Whether the flat vector is exchanged as one, or tensor by tensor, as the layers of a model come. */
export type Fusion = 'fused' | 'per-tensor'

/** Whether what is exchanged one after the other waits for the answer to what went before. */
export type Calls = 'streamed' | 'blocking'

/** A part of the flat vector, in elements. */
export interface Stretch {
  readonly offset: number
  readonly length: number
}

/** What is exchanged at a time: 'fused' the whole flat vector, 'per-tensor' one stretch for each tensor that has elements. */
export function stretchesOf(schema: Schema, fusion: Fusion): readonly Stretch[] {
  if (fusion === 'fused') return [{ offset: 0, length: lengthOf(schema) }]
  const offsets = offsetsOf(schema)
  return schema
    .map((tensor, index) => ({ offset: offsets[index], length: sizeOf(tensor.shape) }))
    .filter(({ length }) => length > 0)
}

/** Exactly `count` parts, one after the other, whose lengths differ by one at most. Some are empty when there are more parts than elements. */
export function segmentsOf({ offset, length }: Stretch, count: number): readonly Stretch[] {
  const boundary = (part: number) => offset + Math.floor((part * length) / count)
  return Array.from({ length: count }, (_, part) => ({
    offset: boundary(part),
    length: boundary(part + 1) - boundary(part)
  }))
}

/** At most `count` parts as {@link segmentsOf} cuts them, none of them empty. */
export function piecesOf(stretch: Stretch, count: number): readonly Stretch[] {
  invariant(Number.isSafeInteger(count) && count >= 1, () => `a stretch cannot be cut into ${count} pieces`)
  return segmentsOf(stretch, Math.min(count, stretch.length))
}

/**
 * What each of `count` ranks has of all `stretches`: its segment of every one of them, as {@link segmentsOf} cuts it, in at
 * most `pieces` pieces.
 */
export function sharesOf(
  stretches: readonly Stretch[],
  count: number,
  pieces: number
): readonly (readonly Stretch[])[] {
  const segments = stretches.map((stretch) => segmentsOf(stretch, count))
  return Array.from({ length: count }, (_, rank) => segments.flatMap((all) => piecesOf(all[rank], pieces)))
}

/** The elements of `vector` that `stretch` names: a view, no copy. */
export function viewOf(vector: Float32Array, { offset, length }: Stretch): Float32Array {
  return vector.subarray(offset, offset + length)
}

/**
 * Deals the flat vector out to `count` servers: 'fused' into stretches of the same length, 'per-tensor' whole tensors, the
 * largest first and each to the server that has least so far (Graham 1969, the longest first). The stretches of a server
 * come in the order of the flat vector. A server may get none.
 */
export function shardsOf(schema: Schema, fusion: Fusion, count: number): readonly (readonly Stretch[])[] {
  const stretches = stretchesOf(schema, fusion)
  if (fusion === 'fused') return segmentsOf(stretches[0], count).map((segment) => piecesOf(segment, 1))
  const shards = Array.from({ length: count }, () => ({ stretches: [] as Stretch[], load: 0 }))
  const largestFirst = [...stretches].sort((left, right) => right.length - left.length || left.offset - right.offset)
  for (const stretch of largestFirst) {
    const least = shards.reduce((best, shard) => (shard.load < best.load ? shard : best))
    least.stretches.push(stretch)
    least.load += stretch.length
  }
  return shards.map((shard) => shard.stretches.sort((left, right) => left.offset - right.offset))
}
