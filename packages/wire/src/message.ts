import { invariant, type Wire } from '@murmuration/core'
import { packedBytes } from '@murmuration/vectors'
import { maxField, frameHeaderLength, frameNumbers, framesOf, maxNumbers, maxPart } from './frame.js'

/** What the algorithms put on links: the flat parameters of a round, or a range of them. */
export interface VectorMessage {
  /** What the vector is, 0 … 255; each algorithm numbers its own kinds. */
  readonly kind: number
  /** 0, 1, … */
  readonly round: number
  /** Tells the messages of one kind and round apart, 0 … 65,535; 0 when absent. */
  readonly part?: number
  /** Which vector of a message with several this is, 0 … 15; 0 when absent. */
  readonly field?: number
  /** Numbers that travel beside the vector, as float64; none when absent. At most 15. */
  readonly numbers?: readonly number[]
  /** Which element of the parameters the vector begins with; 0 when absent. */
  readonly offset?: number
  readonly vector: Float32Array
  /** Whether the numbers travel packed, bit by bit as they are, in place of the link's codec. For the sender's end alone. */
  readonly packed?: true
  /** Whether the codec of the link builds on nothing that was sent before. For the sender's end alone. */
  readonly startsAnew?: true
}

/** How large a {@link VectorMessage} is as a frame, and how it is copied. */
export const vectorWire: Wire<VectorMessage> = {
  byteLength(message) {
    checkHead(message)
    return framesOf(message.vector.length) * frameHeaderLength + payloadLength(message)
  },
  payloadLength,
  copy: (message) => ({ ...message, vector: message.vector.slice() })
}

/** Bytes of the vector as float32 or packed, and of the numbers beside it. */
function payloadLength({ vector, numbers, packed }: VectorMessage): number {
  return (packed ? packedLength(vector) : vector.byteLength) + numberBytes(numbers)
}

/** Bytes of the bodies of a vector that travels packed. */
export function packedLength(vector: Float32Array): number {
  let bytes = 0
  for (let start = 0; start < vector.length; start += frameNumbers)
    bytes += packedBytes(vector.subarray(start, start + frameNumbers))
  return bytes
}

/** Bytes of the numbers beside a vector. */
export function numberBytes(numbers: readonly number[] | undefined): number {
  return numbers === undefined ? 0 : 8 * numbers.length
}

/** Throws an InvariantError for what no frame can say. */
export function checkHead({ part = 0, field = 0, numbers }: VectorMessage): void {
  const count = numbers === undefined ? 0 : numbers.length
  const fits = (part & maxPart) === part && (field & maxField) === field && count <= maxNumbers
  if (!fits)
    invariant(false, `part ${part} of ${maxPart}, field ${field} of ${maxField}, ${count} numbers of ${maxNumbers}`)
}

/** Queues that hold as much as those of real links, where the parameters have so many numbers. */
export function weighed(elements: number): Required<Pick<Wire<VectorMessage>, 'weight' | 'largest'>> {
  return { weight: ({ vector }) => Math.max(1, vector.length), largest: Math.max(1, elements) }
}

/** Vectors of at most so many numbers share buffers of so many: a buffer of its own takes more than a few numbers do. */
const [maxSmall, shared] = [1024, 16_384]

/** Makes vectors, small ones side by side in one buffer after the other. */
function smallVectors(): (length: number) => Float32Array {
  let buffer = new ArrayBuffer(0)
  let next = 0
  return (length) => {
    if (length > maxSmall) return new Float32Array(length)
    if (next + 4 * length > buffer.byteLength) {
      buffer = new ArrayBuffer(4 * shared)
      next = 0
    }
    const vector = new Float32Array(buffer, next, length)
    next += 4 * length
    return vector
  }
}

/**
 * {@link vectorWire} with memory that is used again: what is given back, as a message or as a vector, serves for the next copy
 * or the next vector of the same length. For many small vectors, fresh memory would cost more than all the rest.
 */
export function pooledVectorWire(): Required<Omit<Wire<VectorMessage>, 'weight' | 'largest' | 'link'>> {
  const unused = new Map<number, Float32Array[]>()
  const fresh = smallVectors()
  const allocate = (length: number) => unused.get(length)?.pop() ?? fresh(length)
  const free = (vector: Float32Array) => {
    const others = unused.get(vector.length)
    if (others === undefined) unused.set(vector.length, [vector])
    else others.push(vector)
  }
  return {
    ...vectorWire,
    copy: ({ kind, round, part, field, numbers, offset, vector }) => {
      const copy = allocate(vector.length)
      copy.set(vector)
      return { kind, round, part, field, numbers, offset, vector: copy }
    },
    recycle: ({ vector }) => free(vector),
    allocate,
    free
  }
}
