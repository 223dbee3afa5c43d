import { invariant, type Schema } from '@murmuration/core'
import { hasSharedMemory } from '@murmuration/platform'
import { lengthOf } from '@murmuration/vectors'
import type { VectorPlace, WorkerMemory } from './worker-protocol.js'

/** The vectors between a thread and its owner, for the owner. */
export class ThreadVectors {
  readonly #length: number
  readonly #parameters: Float32Array | undefined
  readonly #result: Float32Array | undefined

  /** @param memory - of the thread, where threads share memory */
  constructor(schema: Schema, memory: WorkerMemory | undefined) {
    this.#length = lengthOf(schema)
    this.#parameters = memory && new Float32Array(memory.parameters)
    this.#result = memory && new Float32Array(memory.result)
  }

  /** The parameters as the thread gets them: in place if both threads share that memory, otherwise a copy. */
  placeOf(values: Float32Array): VectorPlace {
    const length = this.#length
    invariant(values.length === length, () => `found ${values.length} parameters, expected ${length}`)
    if (this.#parameters === undefined) return { buffer: values.slice().buffer, offset: 0, length }
    const { buffer, byteOffset } = values
    if (!(buffer instanceof ArrayBuffer)) return { buffer, offset: byteOffset, length }
    this.#parameters.set(values)
    return { buffer: this.#parameters.buffer, offset: this.#parameters.byteOffset, length }
  }

  /** The vector of an answer. In shared memory it is valid until the next request. */
  vectorOf(answer: { readonly vector?: Float32Array }): Float32Array {
    const vector = answer.vector ?? this.#result
    invariant(vector?.length === this.#length, () => `found ${vector?.length} numbers, expected ${this.#length}`)
    return vector
  }
}

/** The memory of a message that the other thread gets, rather than a copy of it. */
export function movedWith(message: object): readonly ArrayBuffer[] {
  if (hasSharedMemory) return []
  const { at, vector } = message as { readonly at?: VectorPlace; readonly vector?: Float32Array }
  return [at?.buffer, vector?.buffer].filter((buffer) => buffer instanceof ArrayBuffer)
}
