/**
 * A list that takes little memory while it is short, and none anew when it empties and fills again. A list of
 * JavaScript that grows by itself has room for at least 17, which many peers in one process cannot spare.
 */
export class SmallList<T> {
  /** How many places are used. */
  size = 0
  readonly #items: (T | undefined)[]

  /** @param room - for how many items it has room at first */
  constructor(room: number) {
    this.#items = new Array<T | undefined>(room)
  }

  at(index: number): T | undefined {
    return this.#items[index]
  }

  set(index: number, item: T): void {
    this.#items[index] = item
    if (index >= this.size) this.size = index + 1
  }

  push(item: T): void {
    this.#items[this.size++] = item
  }

  /** Removes an item; those after it move up. */
  delete(index: number): void {
    this.#items.splice(index, 1)
    this.size--
  }

  /** Keeps the first items only. */
  truncate(size: number): void {
    // `fill` takes longer for the few items that there are.
    for (let index = size; index < this.size; index++) this.#items[index] = undefined
    this.size = size
  }
}
