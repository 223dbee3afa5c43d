import type { CurveRow, Second } from './messages.js'
import { maxSeconds } from './page/limits.js'

/** The most rows of the curves that are kept: beyond, every second one is dropped. */
const maxRows = 400

/** The curves of a run of any length, and its last seconds, in bounded memory. */
export class History {
  readonly seconds: Second[][]
  rows: CurveRow[] = []
  #stride = 1
  #count = 0

  constructor(peers: number) {
    this.seconds = Array.from({ length: peers }, () => [])
  }

  /** Returns whether the row is kept, and whether earlier ones were thinned out. */
  add(row: CurveRow, second: readonly Second[]): 'kept' | 'thinned' | 'skipped' {
    second.forEach((value, index) => {
      const ofPeer = this.seconds[index]
      ofPeer.push(value)
      if (ofPeer.length > maxSeconds) ofPeer.shift()
    })
    if (this.#count++ % this.#stride !== 0) return 'skipped'
    this.rows.push(row)
    if (this.rows.length <= maxRows) return 'kept'
    this.rows = this.rows.filter((_, index) => index % 2 === 0)
    this.#stride *= 2
    return 'thinned'
  }
}
