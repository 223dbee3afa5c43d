/** Which peers have copies of the rows whose home is here, and which of these rows have changed since. */
export class CopiesElsewhere {
  /** By key: the places of the peers with copies. */
  readonly #places = new Map<number, Set<number>>()
  /** By place: keys whose rows other peers have changed since they were sent there. */
  readonly #changed: readonly Set<number>[]

  /** @param places - how many peers there are */
  constructor(places: number) {
    this.#changed = Array.from({ length: places }, () => new Set<number>())
  }

  /** A peer is sent the rows of these keys. */
  add(keys: Uint32Array, place: number): void {
    for (const key of keys) {
      const places = this.#places.get(key)
      if (places === undefined) this.#places.set(key, new Set([place]))
      else places.add(place)
      this.#changed[place].delete(key)
    }
  }

  /** A peer has added to a row; its own copy has the change already. */
  change(key: number, by: number): void {
    for (const place of this.#places.get(key) ?? []) if (place !== by) this.#changed[place].add(key)
  }

  /** The keys of a peer's copies that have changed, which are sent to it now. */
  takeChanged(place: number): Uint32Array {
    const keys = Uint32Array.from(this.#changed[place]).sort()
    this.#changed[place].clear()
    return keys
  }
}
