import type { Untrained } from '../vectors/untrained.js'
import type { Vector } from '../vectors/vector.js'

/** The parameters that all peers start with, as long as they are needed; frozen ones are needed to the end. */
export class Origin {
  readonly #untrained: readonly Untrained[]
  #x: Vector | undefined
  /** The same, also when its numbers are released: to know a message that carries it. */
  #first: Vector | undefined

  constructor(untrained: readonly Untrained[]) {
    this.#untrained = untrained
  }

  /** Undefined before the start, and where it is no longer needed. */
  get x(): Vector | undefined {
    return this.#x
  }

  set x(x: Vector | undefined) {
    this.#x = x
    this.#first ??= x
  }

  /** Whether this is the vector that the peer started with. */
  isAt(x: Vector): boolean {
    return x === this.#first
  }

  /** Whether any parameter is frozen. */
  get hasFrozen(): boolean {
    return this.#untrained.some(({ momentum }) => momentum === 1)
  }

  /** Restores the frozen parameters of the start, which sums have rounded. */
  keepFrozen(x: Vector): void {
    const start = this.#x
    if (start === undefined) return
    for (const { offset, length, momentum } of this.#untrained)
      if (momentum === 1) x.values.set(start.values.subarray(offset, offset + length), offset)
  }

  /** A round is over: from now on only frozen parameters need it. */
  release(): void {
    if (!this.hasFrozen) this.#x = undefined
  }
}
