import type { Wire } from '@murmuration/core'
import { frameHeaderLength, framesOf } from './frame.js'

/** What the algorithms put on links: the flat parameters of a round, or a stretch of them. */
export interface VectorMessage {
  /** What the vector is, 0 … 255; each algorithm numbers its own kinds. */
  readonly kind: number
  /** 0, 1, … */
  readonly round: number
  /** Which element of the parameters the vector begins with; 0 when absent. */
  readonly offset?: number
  readonly vector: Float32Array
}

/** How large a {@link VectorMessage} is as a frame, and how it is copied. */
export const vectorWire: Wire<VectorMessage> = {
  byteLength: ({ vector }) => framesOf(vector.length) * frameHeaderLength + vector.byteLength,
  payloadLength: (message) => message.vector.byteLength,
  copy: (message) => ({ ...message, vector: Float32Array.from(message.vector) })
}

/**
 * {@link vectorWire} with memory that is used again: what is recycled serves for the next copy of the same length. For many
 * small vectors, fresh memory would cost more than all the rest.
 */
export function pooledVectorWire(): Wire<VectorMessage> & { recycle(message: VectorMessage): void } {
  const free = new Map<number, Float32Array[]>()
  return {
    ...vectorWire,
    copy: (message) => {
      const { vector } = message
      const copy = free.get(vector.length)?.pop()
      if (copy === undefined) return vectorWire.copy(message)
      copy.set(vector)
      return { kind: message.kind, round: message.round, offset: message.offset, vector: copy }
    },
    recycle: ({ vector }) => {
      const known = free.get(vector.length)
      if (known === undefined) free.set(vector.length, [vector])
      else known.push(vector)
    }
  }
}
