/**
 * A store that several services share: named objects of float32 numbers, each with a version that grows by 1 with every
 * write. One operation is atomic. A `get` and a later `set` are not: the `set` overwrites what others wrote between the
 * two.
 */
export interface Store {
  /**
   * Writes the numbers of an object to `into`, and returns its version; `undefined` where there is no such object.
   *
   * @param into - as long as the object
   * @throws StoreError when the store is unavailable for too long, or the object has another length
   */
  get(key: string, into: Float32Array): PromiseLike<number | undefined>
  /** Replaces the numbers of an object. Returns its new version; 1 for a new object. */
  set(key: string, values: Float32Array): PromiseLike<number>
  /**
   * The store adds numbers to those of an object: no update is lost. Returns the new version; `undefined` where there
   * is no such object.
   */
  add(key: string, values: Float32Array): PromiseLike<number | undefined>
  /** Creates an object, unless it exists. */
  create(key: string, values: Float32Array): PromiseLike<void>
  /** Removes objects; a missing one is no error. */
  remove(keys: readonly string[]): PromiseLike<void>
}

/**
 * A store cannot be used: it is unavailable, it refuses, or its content is not what is expected. The message says which
 * store, and how to fix it.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}

/** A store in the memory of one process. */
export class MemoryStore implements Store {
  readonly #objects = new Map<string, { readonly values: Float32Array; version: number }>()

  get(key: string, into: Float32Array): Promise<number | undefined> {
    const found = this.#objects.get(key)
    if (found !== undefined) into.set(this.#checked(key, found.values, into.length))
    return Promise.resolve(found?.version)
  }

  set(key: string, values: Float32Array): Promise<number> {
    const found = this.#objects.get(key)
    if (found === undefined) {
      this.#objects.set(key, { values: values.slice(), version: 1 })
      return Promise.resolve(1)
    }
    this.#checked(key, found.values, values.length).set(values)
    return Promise.resolve(++found.version)
  }

  add(key: string, values: Float32Array): Promise<number | undefined> {
    const found = this.#objects.get(key)
    if (found === undefined) return Promise.resolve(undefined)
    const sum = this.#checked(key, found.values, values.length)
    for (let i = 0; i < sum.length; i++) sum[i] += values[i]
    return Promise.resolve(++found.version)
  }

  async create(key: string, values: Float32Array): Promise<void> {
    if (!this.#objects.has(key)) await this.set(key, values)
  }

  remove(keys: readonly string[]): Promise<void> {
    for (const key of keys) this.#objects.delete(key)
    return Promise.resolve()
  }

  #checked(key: string, values: Float32Array, length: number): Float32Array {
    if (values.length === length) return values
    throw new StoreError(`memory: ${key} has ${values.length} numbers, expected ${length}: it is of another model`)
  }
}
