import { invariant } from '@murmuration/core'
import { weightedSum, type Term as WeightedNumbers } from '@murmuration/vectors'
import { sliceLength } from './slices.js'
import { SmallList } from './small-list.js'

/** A part of the flat parameters, in elements. */
export interface Range {
  readonly offset: number
  readonly length: number
}

/**
 * Named vectors and numbers. Records nest, so that a record per neighbour is a state too; a neighbour may have no
 * value.
 */
export interface State {
  readonly [name: string]: Vector | number | State | undefined
}

/** A message: a flat record of such values. */
export interface Message {
  readonly [field: string]: Vector | number
}

/** What keeps vectors beyond their round. */
export interface Keeper {
  /** Calls {@link reach} with this sweep for every state that is kept. */
  reach(sweep: number): void
}

/** Where the arena allocates and frees memory: a fabric. */
export interface VectorMemory {
  allocate(length: number): Float32Array
  free(vector: Float32Array): void
}

/** Writes the elements from `from` to below `to` of a result. */
type Write = (out: Float32Array, from: number, to: number) => void

/** What remains to be computed of a vector: its elements from `done` on, and then what to call with them. */
interface Rest {
  readonly write: Write
  done: number
  readonly acts: ((numbers: Float32Array) => void)[]
}

/**
 * Immutable numbers. Operations return new vectors. At the end of a round every vector is released that neither the
 * state nor anything else that is kept reaches; using it after that is an InvariantError.
 */
export class Vector {
  /** How often it is kept besides being reachable from the state. */
  pins = 0
  /** The sweep that last reached it. */
  reached = 0
  /** Whether the current round may hold it in a variable. */
  isOfRound: boolean
  /** The parameters at which a gradient was computed. */
  at: Vector | undefined
  /** The index of the parameter that it begins with, if it was received as a range. */
  offset = 0
  #numbers: Float32Array | undefined
  /** What remains to be computed; undefined when everything is. */
  #rest: Rest | undefined

  /** @param whole - the vector that this one is a range of */
  constructor(
    readonly arena: Arena,
    numbers: Float32Array,
    readonly whole?: Vector,
    write?: Write
  ) {
    this.#numbers = numbers
    this.#rest = write && { write, done: 0, acts: [] }
    this.isOfRound = arena.inRound
  }

  /** Tells a vector from numbers and records, even one of another copy of this package. */
  get isVector(): true {
    return true
  }

  /** The numbers. They must not be changed or kept. */
  get values(): Float32Array {
    if (this.#rest !== undefined) this.compute(Number.POSITIVE_INFINITY)
    invariant(this.#numbers !== undefined, 'a vector is used after its round: only what the state holds is kept')
    return this.#numbers
  }

  get length(): number {
    return this.#numbers?.length ?? 0
  }

  /** Whether something remains to be computed. */
  get isPending(): boolean {
    return this.#rest !== undefined
  }

  /** Computes at most `count` more elements. */
  compute(count: number): void {
    const numbers = this.#numbers
    const rest = this.#rest
    if (numbers === undefined || rest === undefined) return
    const end = Math.min(numbers.length, rest.done + count)
    rest.write(numbers, rest.done, end)
    rest.done = end
    if (end < numbers.length) return
    this.#rest = undefined
    for (const act of rest.acts) act(numbers)
  }

  /** Calls `act` with the numbers, which it may change, once they are computed and before anything else reads them. */
  whenDone(act: (numbers: Float32Array) => void): void {
    if (this.#rest === undefined) act(this.values)
    else this.#rest.acts.push(act)
  }

  /** Releases the vector, and returns the memory that it owned. */
  release(): Float32Array | undefined {
    const numbers = this.#numbers
    this.#numbers = undefined
    this.#rest = undefined
    this.at = undefined
    return this.whole === undefined ? numbers : undefined
  }
}

/** How many vectors of a peer usually live. */
const usualVectors = 8

/** The vectors of one peer. */
export class Arena {
  /** Whether what is computed now belongs to the current round. */
  inRound = false
  /** Whether all is released for good. */
  isClosed = false
  /** Knows all states that are kept; none when absent. */
  keeper: Keeper | undefined
  readonly #memory: VectorMemory
  readonly #isLazy: boolean
  readonly #live = new SmallList<Vector>(usualVectors)
  #pending: Vector[] | undefined
  #sweep = 0

  /** @param isLazy - whether long vectors are computed by `settle` or when first read; otherwise at once */
  constructor(memory: VectorMemory, isLazy = false) {
    this.#memory = memory
    this.#isLazy = isLazy
  }

  /** How many vectors are live. */
  get size(): number {
    return this.#live.size
  }

  /** A new vector, whose elements `write` computes in order, all at once or range by range. */
  compute(length: number, write: Write): Vector {
    const numbers = this.#memory.allocate(length)
    if (this.#isLazy && length > sliceLength) {
      const vector = this.#add(new Vector(this, numbers, undefined, write))
      this.#pending ??= []
      this.#pending.push(vector)
      return vector
    }
    write(numbers, 0, length)
    return this.#add(new Vector(this, numbers))
  }

  /** `Σ a v` of vectors; of one field's vectors, where the terms are records. */
  sum(terms: readonly Term<Vector | Message>[], { length }: Vector, field?: string): Vector {
    if (this.#isLazy && length > sliceLength)
      return this.compute(length, (out, from, to) => void weightedSum(out, numbersOf(terms, field), from, to))
    const numbers = weightedSum(this.#memory.allocate(length), numbersOf(terms, field))
    return this.#add(new Vector(this, numbers))
  }

  /** Takes over received numbers and their memory. */
  adopt(numbers: Float32Array, offset = 0): Vector {
    const vector = this.#add(new Vector(this, numbers))
    vector.offset = offset
    return vector
  }

  /** A range of a vector, without a copy. */
  range(vector: Vector, { offset, length }: Range): Vector {
    const part = vector.values.subarray(offset, offset + length)
    return this.#add(new Vector(this, part, vector.whole ?? vector))
  }

  /** Computes pending vectors, with a `pause` after every range so that messages are sent and received. */
  async settle(pause: () => PromiseLike<void>): Promise<void> {
    for (const vector of this.#pending ?? []) {
      while (vector.isPending) {
        vector.compute(sliceLength)
        await pause()
      }
    }
    this.#pending = undefined
  }

  /** Whether `settle` has work to do. */
  get hasPending(): boolean {
    return this.#pending !== undefined
  }

  /** Pins vectors (`change` 1) or unpins them (−1). */
  pin(tree: State, change: 1 | -1): void {
    eachVector(tree, (vector) => {
      vector.pins += change
      if (vector.whole !== undefined) vector.whole.pins += change
    })
  }

  /** Releases what nothing reaches: no kept state, no pin, and not the current round unless it `isOver`. */
  sweep(isOver: boolean): void {
    const sweep = ++this.#sweep
    this.keeper?.reach(sweep)
    let kept = 0
    const live = this.#live
    for (let index = 0; index < live.size; index++) {
      const vector = live.at(index) as Vector
      if (isOver) vector.isOfRound = false
      if (vector.isOfRound || vector.pins > 0 || vector.reached === sweep) live.set(kept++, vector)
      else this.#release(vector)
    }
    live.truncate(kept)
  }

  /** Releases everything. What is computed later belongs to nobody, and is freed at once. */
  close(): void {
    this.isClosed = true
    const live = this.#live
    for (let index = 0; index < live.size; index++) this.#release(live.at(index) as Vector)
    live.truncate(0)
    this.#pending = undefined
  }

  #release(vector: Vector): void {
    const numbers = vector.release()
    if (numbers !== undefined) this.#memory.free(numbers)
  }

  #add(vector: Vector): Vector {
    if (this.isClosed) this.#release(vector)
    else this.#live.push(vector)
    return vector
  }
}

/** Whether it is a vector. A user's module may use another copy of this package, with another class. */
export function isVector(value: State[string] | Message): value is Vector {
  return (value as Vector | undefined)?.isVector === true
}

/** Marks the vectors of a state that is kept as reached by a sweep. */
export function reach(state: State, sweep: number): void {
  for (const name in state) {
    const value = state[name]
    if (isVector(value)) {
      value.reached = sweep
      if (value.whole !== undefined) value.whole.reached = sweep
    } else if (typeof value === 'object') reach(value, sweep)
  }
}

/** Calls `act` with each vector of a tree of records. */
export function eachVector(tree: State, act: (vector: Vector) => void): void {
  for (const name in tree) {
    const value = tree[name]
    if (isVector(value)) act(value)
    else if (typeof value === 'object') eachVector(value, act)
  }
}

export type Term<T> = readonly [number, T]

/** `Σ a v` of vectors, of numbers, or of records field by field, in float64 in the order given, rounded once. */
export function linear<T extends Vector | Message>(...terms: readonly Term<T>[]): T {
  return linearOf(terms)
}

/** {@link linear} for terms in an array: spreading many as arguments would copy it. */
export function linearOf<T extends Vector | Message>(terms: readonly Term<T>[]): T {
  const [, first] = terms[0]
  if (isVector(first)) return first.arena.sum(terms, first) as T
  const sums: Record<string, Vector | number> = {}
  const records = terms as readonly Term<Message>[]
  for (const field in first) sums[field] = fieldOf(records, field)
  return sums as T
}

function fieldOf(terms: readonly Term<Message>[], field: string): Vector | number {
  const first = terms[0][1][field]
  if (!isVector(first)) return terms.reduce((sum, [a, record]) => sum + a * (record[field] as number), 0)
  return first.arena.sum(terms, first, field)
}

function numbersOf(terms: readonly Term<Vector | Message>[], field?: string): WeightedNumbers[] {
  const all = new Array<WeightedNumbers>(terms.length)
  for (let index = 0; index < terms.length; index++) {
    const [weight, each] = terms[index]
    const vector = (field === undefined ? each : (each as Message)[field]) as Vector
    all[index] = { weight, vector: vector.values }
  }
  return all
}

/** A range of a vector, without a copy. */
export function rangeOf(vector: Vector, range: Range): Vector {
  return vector.arena.range(vector, range)
}
