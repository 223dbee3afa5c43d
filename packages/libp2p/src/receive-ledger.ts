/**
 * Which frames of one neighbour have come, and how far they are acknowledged. Frames beyond the mailbox's share are
 * acknowledged only as the algorithm takes earlier ones, which is what holds a fast neighbour back.
 */
export class ReceiveLedger {
  readonly #mailbox: number
  #incarnation = ''
  #received = 0
  #acknowledged = 0

  constructor(mailbox: number) {
    this.#mailbox = mailbox
  }

  /** The last frame that has come. */
  get received(): number {
    return this.#received
  }

  /** The last frame that is acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged
  }

  /**
   * Notes a hello. A neighbour that was started anew (another incarnation) counts from where it says, and so does one
   * that has given up frames that did not come.
   */
  greet(incarnation: string, first: number): void {
    if (incarnation === this.#incarnation && first <= this.#received + 1) return
    this.#incarnation = incarnation
    this.#received = first - 1
    this.#acknowledged = first - 1
  }

  /** Counts a frame as come. Returns false for one that has come before, or that is not the next. */
  arrive(sequence: number): boolean {
    if (sequence !== this.#received + 1) return false
    this.#received = sequence
    return true
  }

  /** Moves the acknowledgement on, given how many frames wait in the mailbox. Returns whether it moved. */
  settle(waiting: number): boolean {
    const acknowledged = this.#received - Math.max(0, waiting - this.#mailbox)
    if (acknowledged <= this.#acknowledged) return false
    this.#acknowledged = acknowledged
    return true
  }
}
