import { invariant, type Wire } from '@murmuration/core'
import { packedBytes } from '@murmuration/vectors'
import { maxEpoch, maxField, frameHeaderLength, frameNumbers, framesOf, maxNumbers, maxPart } from './frame.js'

/** A message of an algorithm: the flat parameters of a round, or a range of them. */
export interface VectorMessage {
  /** The meaning of the vector, 0 … 255; each algorithm numbers its own kinds. */
  readonly kind: number
  /** 0, 1, … */
  readonly round: number
  /** Distinguishes the messages of one kind and round, 0 … 65,535; 0 when absent. */
  readonly part?: number
  /** The epoch of the run in which it was sent, modulo 65,536; 0 when absent. */
  readonly epoch?: number
  /** The index of the vector in a message of several vectors, 0 … 15; 0 when absent. */
  readonly field?: number
  /** Numbers that travel with the vector, as float64; none when absent. At most 15. */
  readonly numbers?: readonly number[]
  /** The index of the vector's first element in the parameters; 0 when absent. */
  readonly offset?: number
  readonly vector: Float32Array
  /** Whether the vector travels packed (lossless) instead of in the link's codec. Set only at the sender. */
  readonly packed?: true
  /** Whether the codec of the link forgets what was sent before, as it does at each epoch. Set only at the sender. */
  readonly startsAnew?: true
}

/** Gives the size of a {@link VectorMessage} in frames, and copies it. */
export const vectorWire: Wire<VectorMessage> = {
  byteLength(message) {
    checkHead(message)
    return framesOf(message.vector.length) * frameHeaderLength + payloadLength(message)
  },
  payloadLength,
  copy: (message) => ({ ...message, vector: message.vector.slice() }),
  epochOf
}

/** See {@link Wire.epochOf}. */
function epochOf({ epoch = 0 }: VectorMessage): number {
  return epoch
}

/** The packed message that was measured last: it is asked for both its lengths, and packing takes longest. */
let lastPacked: { readonly message: VectorMessage; readonly bytes: number } | undefined

/** Bytes of the vector as float32 or packed, and of the numbers with it. */
function payloadLength(message: VectorMessage): number {
  const { vector, numbers, packed } = message
  if (packed !== true) return vector.byteLength + numberBytes(numbers)
  if (lastPacked?.message !== message) lastPacked = { message, bytes: packedLength(vector) }
  return lastPacked.bytes + numberBytes(numbers)
}

/** Bytes of the bodies of a vector that travels packed. */
export function packedLength(vector: Float32Array): number {
  let bytes = 0
  for (let start = 0; start < vector.length; start += frameNumbers)
    bytes += packedBytes(vector.subarray(start, start + frameNumbers))
  return bytes
}

/** Bytes of the numbers with a vector. */
export function numberBytes(numbers: readonly number[] | undefined): number {
  return numbers === undefined ? 0 : 8 * numbers.length
}

/** Throws an InvariantError for a value that does not fit a frame's header. */
export function checkHead({ part = 0, epoch = 0, field = 0, numbers }: VectorMessage): void {
  const count = numbers === undefined ? 0 : numbers.length
  const isPlace = (part & maxPart) === part && (epoch & maxEpoch) === epoch && (field & maxField) === field
  if (!isPlace || count > maxNumbers)
    invariant(
      false,
      `part ${part}, epoch ${epoch}, field ${field}, ${count} numbers: ` +
        `expected at most ${maxPart}, ${maxEpoch}, ${maxField}, ${maxNumbers}`
    )
}

/** Queues with the capacity of those of real links, for parameters of `elements` numbers. */
export function weighed(elements: number): Required<Pick<Wire<VectorMessage>, 'weight' | 'largest'>> {
  return { weight: ({ vector }) => Math.max(1, vector.length), largest: Math.max(1, elements) }
}

/** Vectors of up to so many numbers share buffers, because an ArrayBuffer takes more memory than a few numbers do. */
const maxSmall = 1024
/** The numbers of a shared buffer. */
const shared = 16_384

/** Makes vectors; small ones share buffers. */
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
 * {@link vectorWire} with a pool: a released message or vector is reused for the next copy or vector of the same
 * length. For many small vectors, fresh memory would cost more than everything else.
 */
export function pooledVectorWire(): Required<Omit<Wire<VectorMessage>, 'weight' | 'largest' | 'link'>> {
  const unused = new Map<number, Float32Array[]>()
  const fresh = smallVectors()
  const allocate = (length: number) => unused.get(length)?.pop() ?? fresh(length)
  const free = (vector: Float32Array) => {
    const sameLength = unused.get(vector.length)
    if (sameLength === undefined) unused.set(vector.length, [vector])
    else sameLength.push(vector)
  }
  return {
    ...vectorWire,
    copy: ({ kind, round, part, epoch, field, numbers, offset, vector }) => {
      const copy = allocate(vector.length)
      copy.set(vector)
      return { kind, round, part, epoch, field, numbers, offset, vector: copy }
    },
    epochOf,
    recycle: ({ vector }) => free(vector),
    allocate,
    free
  }
}
