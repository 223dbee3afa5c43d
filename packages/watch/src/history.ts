import type { CurveRow, Second } from './messages.js'

/** The most rows of the curves that are kept: beyond, every second one is dropped. */
const maxRows = 400

/** The number of seconds of the timeline that are kept. */
export const maxSeconds = 120

/** The curves of a run of any length, and its last seconds, in bounded memory. */
export class History {
  readonly seconds: Second[][]
  rows: CurveRow[] = []
  #every = 1
  #count = 0

  constructor(peers: number) {
    this.seconds = Array.from({ length: peers }, () => [])
  }

  /** Returns whether the row is kept, and whether earlier ones were thinned out. */
  add(row: CurveRow, second: readonly Second[]): 'kept' | 'thinned' | 'passed over' {
    second.forEach((each, place) => {
      const all = this.seconds[place]
      all.push(each)
      if (all.length > maxSeconds) all.shift()
    })
    if (this.#count++ % this.#every !== 0) return 'passed over'
    this.rows.push(row)
    if (this.rows.length <= maxRows) return 'kept'
    this.rows = this.rows.filter((_, place) => place % 2 === 0)
    this.#every *= 2
    return 'thinned'
  }
}
