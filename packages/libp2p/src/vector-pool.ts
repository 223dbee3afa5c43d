/** The most vectors that are kept for later. There are never more than were once in use at the same time. */
const keptMost = 64

/**
 * Vectors to receive into, used again and again: fresh memory costs more than copying, because the system has to hand over
 * and clear each page of it.
 */
export class VectorPool {
  readonly #elements: number
  readonly #free: Float32Array[] = []
  readonly #lent = new WeakSet<Float32Array>()

  /** @param elements - how many numbers every vector has */
  constructor(elements: number) {
    this.#elements = elements
  }

  /** A vector that nobody else has. Its content is arbitrary. */
  take(): Float32Array {
    const vector = this.#free.pop() ?? new Float32Array(this.#elements)
    this.#lent.add(vector)
    return vector
  }

  /** Takes a vector back. One that is not out on loan, or was given back before, is ignored. */
  give(vector: Float32Array): void {
    if (this.#lent.delete(vector) && this.#free.length < keptMost) this.#free.push(vector)
  }
}
