/**
 * Which vectors of one neighbour have come, and how far they are acknowledged. What comes while there is no room for more is
 * acknowledged only when there is again, which is what holds a fast neighbour back.
 */
export class ReceiveLedger {
  #incarnation = ''
  #received = 0
  #acknowledged = 0
  /** How much each vector weighs that has come and is not acknowledged. */
  #weights: number[] = []
  /** Their sum. */
  #unacknowledged = 0

  /** The last vector that has come. */
  get received(): number {
    return this.#received
  }

  /** The last vector that is acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged
  }

  /** How much has come and is not acknowledged. */
  get unacknowledged(): number {
    return this.#unacknowledged
  }

  /**
   * Notes a hello. A neighbour that was started anew (another incarnation) counts from where it says, and so does one
   * that has given up vectors that did not come.
   */
  greet(incarnation: string, first: number): void {
    if (incarnation === this.#incarnation && first <= this.#received + 1) return
    this.#incarnation = incarnation
    this.#received = first - 1
    this.#acknowledged = first - 1
    this.#weights = []
    this.#unacknowledged = 0
  }

  /** Counts a vector as come. Returns false for one that has come before, or that is not the next. */
  arrive(sequence: number, weight: number): boolean {
    if (sequence !== this.#received + 1) return false
    this.#received = sequence
    this.#weights.push(weight)
    this.#unacknowledged += weight
    return true
  }

  /**
   * Moves the acknowledgement on as far as may be. Returns whether it moved.
   *
   * @param surplus - how much more waits than there is room for: as many of the last vectors as weigh that much stay unacknowledged
   */
  settle(surplus: number): boolean {
    let moved = false
    while (this.#weights.length > 0 && this.#unacknowledged - this.#weights[0] >= surplus) {
      this.#unacknowledged -= this.#weights.shift() ?? 0
      this.#acknowledged++
      moved = true
    }
    return moved
  }
}
