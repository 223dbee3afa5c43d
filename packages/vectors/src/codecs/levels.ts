/**
 * Divides numbers into runs with few different ones each, their levels. A number that is not yet a level of the current
 * run begins a new run. If it was a level of an earlier one, all runs from that one on are joined, unless this costs
 * more bytes than to repeat that one's levels, of which those after it are subtracted: many new levels are a sign of
 * another tensor. So tensors are kept apart even where some of their numbers are the same.
 */
import { rawBytes } from './codec.js'
import { runLengthBytes } from './run-lengths.js'

/** The most levels of a run. */
export const maxLevels = 256

/**
 * The numbers from `from` to `to`, which is not one of them. Their levels are those from `first` to `last` of the list.
 */
export interface LevelRun {
  readonly from: number
  readonly to: number
  readonly first: number
  readonly last: number
}

/** Runs, and the levels of all of them in turn, as places in the table of the different numbers. */
export interface Levels {
  readonly list: readonly number[]
  readonly runs: readonly LevelRun[]
}

/** No way to divide numbers. */
export const noLevels: Levels = { list: [], runs: [] }

/** Where a run begins, among the numbers and in the list. */
type LevelStart = Pick<LevelRun, 'from' | 'first'>

/** The bits of an index of one of so many levels. */
export const indexBits = (levels: number): number => 32 - Math.clz32(levels - 1)

/** The bytes of `count` numbers with a table of `levels`. */
export function tableBytes(levels: number, count: number): number {
  return 1 + rawBytes(levels) + Math.ceil((count * indexBits(levels)) / 8)
}

/** The bytes of such a run, with its length. */
export function runBytes(levels: number, count: number): number {
  return tableBytes(levels, count) + runLengthBytes(count)
}

/**
 * The runs of numbers that are given by their places in a table of `different` ones; none when most would be levels of
 * new runs.
 */
export function levelsOf(places: Uint16Array, different: number): Levels {
  // By place: the length of the list when it was last added.
  const added = new Uint32Array(different)
  const list: number[] = []
  const starts: LevelStart[] = []
  let runs = 0
  let first = 0
  for (let k = 0; k < places.length; k++) {
    const place = places[k]
    if (added[place] > first) continue
    // The next run would begin here.
    starts[runs] = { from: k, first: list.length }
    const run = added[place] === 0 ? runs : firstToJoin(starts, runs, added[place] - 1)
    if (run < runs) runs = run + 1
    else {
      if (list.length >= maxLevels && list.length > k / 2) return noLevels
      added[place] = list.push(place)
      runs++
    }
    first = starts[runs - 1].first
  }
  starts[runs] = { from: places.length, first: list.length }
  return { list, runs: starts.slice(0, runs).map((_, run) => runOf(starts[run], starts[run + 1])) }
}

/**
 * The first run to join with all after it, since it has the level at `index`, or how many runs there are where this
 * does not pay.
 */
function firstToJoin(starts: readonly LevelStart[], runs: number, index: number): number {
  const end = starts[runs]
  let bytes = 0
  for (let run = runs - 1; end.first - starts[run].first <= maxLevels; run--) {
    const start = starts[run]
    const next = starts[run + 1]
    bytes += runBytes(next.first - start.first, next.from - start.from)
    if (start.first > index) continue
    const repeated = Math.max(0, next.first - start.first - (end.first - next.first))
    return runBytes(end.first - start.first, end.from - start.from) > bytes + rawBytes(repeated) ? runs : run
  }
  return runs
}

function runOf({ from, first }: LevelStart, next: LevelStart): LevelRun {
  return { from, to: next.from, first, last: next.first }
}
