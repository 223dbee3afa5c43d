/** Draws 0 … n − 1 with given weights, each in constant time (Walker 1977; built as by Vose, IEEE TSE 17(9), 1991). */
export class AliasTable {
  /** The probability that index k gives k, and the alternative. */
  readonly #chance: Float64Array
  readonly #alternative: Uint32Array

  /** @param weights - at least 0, with a sum above it */
  constructor(weights: readonly number[]) {
    const sum = weights.reduce((all, weight) => all + weight, 0)
    this.#chance = Float64Array.from(weights, (weight) => (weight * weights.length) / sum)
    this.#alternative = Uint32Array.from(weights.keys())
    const chance = this.#chance
    const small: number[] = []
    const large: number[] = []
    for (const index of weights.keys()) (chance[index] < 1 ? small : large).push(index)
    for (let low = small.pop(), high = large.pop(); low !== undefined && high !== undefined; low = small.pop()) {
      this.#alternative[low] = high
      chance[high] -= 1 - chance[low]
      if (chance[high] >= 1) continue
      small.push(high)
      high = large.pop()
    }
  }

  /** @param index - a random index, below the number of weights; @param chance - random, 0 … 1 */
  draw(index: number, chance: number): number {
    return chance < this.#chance[index] ? index : this.#alternative[index]
  }
}
