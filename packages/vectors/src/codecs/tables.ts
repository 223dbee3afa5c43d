/**
 * Numbers of which few are different, as tensors are of which a compressor keeps levels. Layout of a run of numbers
 * that share a table, little-endian: how many different ones there are less 1 (a byte); those as float32; the run's
 * length (see run-lengths.ts), which is left out where a single run is announced; and for each number its index among
 * the different ones, in as few bits as that takes, the first in the lowest bits of each byte. Runs follow each other
 * until there are enough numbers.
 *
 * levels.ts chooses the runs. Where zeros are not left out, 0 is in the tables of all runs.
 */
import { rawBytes } from './codec.js'
import { indexBits, type Levels, maxLevels, type LevelRun, runBytes, tableBytes } from './levels.js'
import type { Indexed } from './number-table.js'
import { readNumbers } from './plain-numbers.js'
import { runLengthAt, runLengthBytes, writeRunLength } from './run-lengths.js'

/** How to write numbers: in these runs. */
export interface Tables extends Levels {
  readonly indexed: Indexed
  /** 1 if 0 is before the others in the table of each run, otherwise 0. */
  readonly shared: 0 | 1
}

const sizeOf = ({ first, last }: LevelRun, shared: number): number => shared + last - first
const bytesOf = (run: LevelRun, shared: number): number => runBytes(sizeOf(run, shared), run.to - run.from)

/**
 * The ways to write `count` numbers with one table and with several, as far as they exist. The numbers that are not 0
 * are `indexed`, with `levels`.
 *
 * @param others - where these are among all, if some are 0
 */
export function tablesOf(indexed: Indexed, levels: Levels, count: number, others?: Uint32Array): readonly Tables[] {
  const { size } = indexed.table
  const shared = others === undefined ? 0 : 1
  const ways: Tables[] = []
  if (size > 0 && shared + size <= maxLevels) {
    const list: number[] = []
    while (list.length < size) list.push(list.length)
    ways.push({ indexed, list, runs: [{ from: 0, to: count, first: 0, last: size }], shared })
  }
  if (levels.runs.length > 1) {
    const runs = joined(others === undefined ? levels.runs : amongAll(levels.runs, others, count), shared)
    const fit = runs.every((run) => sizeOf(run, shared) <= maxLevels)
    if (runs.length > 1 && fit) ways.push({ indexed, list: levels.list, runs, shared })
  }
  return ways
}

/** Runs of the numbers at `places`, as runs of all `count` numbers. */
function amongAll(runs: readonly LevelRun[], places: Uint32Array, count: number): readonly LevelRun[] {
  return runs.map(({ from, to, first, last }) => ({
    from: from === 0 ? 0 : places[from],
    to: to === places.length ? count : places[to],
    first,
    last
  }))
}

/** Runs of which each is joined with the next one while that takes no more bytes. */
function joined(separate: readonly LevelRun[], shared: number): readonly LevelRun[] {
  const runs: LevelRun[] = []
  let run = separate[0]
  let bytes = Infinity
  for (const next of separate) {
    const nextBytes = bytesOf(next, shared)
    const both = { from: run.from, to: next.to, first: run.first, last: next.last }
    const bothBytes = bytesOf(both, shared)
    const joins = bothBytes <= bytes + nextBytes && sizeOf(both, shared) <= maxLevels
    if (!joins) runs.push(run)
    run = joins ? both : next
    bytes = joins ? bothBytes : nextBytes
  }
  return [...runs, run]
}

/** The bytes that these tables take, with their numbers. */
export function tablesBytes({ runs, shared }: Tables): number {
  if (runs.length === 1) return tableBytes(sizeOf(runs[0], shared), runs[0].to)
  return runs.reduce((sum, run) => sum + bytesOf(run, shared), 0)
}

/** Writes `numbers`, given as bits of float32, to `view` from `start` on. Returns the position behind the last byte. */
export function writeTables(tables: Tables, numbers: Uint32Array, view: DataView, start: number): number {
  const { indexed, list, runs, shared } = tables
  const different = indexed.table.numbers
  const places = indexed.places
  const indices = new Uint8Array(different.length)
  let at = start
  let others = 0
  for (const { from, to, first, last } of runs) {
    const size = shared + last - first
    view.setUint8(at++, size - 1)
    if (shared) view.setUint32(at, 0)
    at += rawBytes(shared)
    for (let k = first; k < last; k++, at += 4) {
      indices[list[k]] = shared + k - first
      view.setUint32(at, different[list[k]], true)
    }
    if (runs.length > 1) at = writeRunLength(to - from, view, at)
    const width = indexBits(size)
    let buffer = 0
    let filled = 0
    for (let k = from; k < to; k++) {
      if (numbers[k] !== 0) buffer |= indices[places[others++]] << filled
      filled += width
      for (; filled >= 8; filled -= 8, buffer >>>= 8) view.setUint8(at++, buffer & 0xff)
    }
    if (filled > 0) view.setUint8(at++, buffer)
  }
  return at
}

/**
 * Reads as many numbers as `numbers` has room for, of one run. Returns the position behind the last byte; undefined
 * when they cannot be read.
 */
export function readTable(view: DataView, start: number, numbers: Uint32Array): number | undefined {
  const levels = levelsAt(view, start)
  return levels && readIndices(levels, view, start + 1 + rawBytes(levels.length), numbers)
}

/** As {@link readTable}, of any number of runs. */
export function readTables(view: DataView, start: number, numbers: Uint32Array): number | undefined {
  let at = start
  for (let filled = 0; filled < numbers.length;) {
    const levels = levelsAt(view, at)
    if (levels === undefined) return undefined
    at += 1 + rawBytes(levels.length)
    const length = runLengthAt(view, at)
    if (length === 0 || length > numbers.length - filled) return undefined
    const end = readIndices(levels, view, at + runLengthBytes(length), numbers.subarray(filled, filled + length))
    if (end === undefined) return undefined
    filled += length
    at = end
  }
  return at
}

function levelsAt(view: DataView, start: number): Uint32Array | undefined {
  if (start >= view.byteLength) return undefined
  const levels = new Uint32Array(view.getUint8(start) + 1)
  return readNumbers(view, start + 1, levels) === undefined ? undefined : levels
}

function readIndices(levels: Uint32Array, view: DataView, start: number, numbers: Uint32Array): number | undefined {
  const width = indexBits(levels.length)
  if (start + Math.ceil((numbers.length * width) / 8) > view.byteLength) return undefined
  let at = start
  let buffer = 0
  let filled = 0
  for (let k = 0; k < numbers.length; k++) {
    for (; filled < width; filled += 8) buffer |= view.getUint8(at++) << filled
    const place = buffer & (2 ** width - 1)
    if (place >= levels.length) return undefined
    numbers[k] = levels[place]
    buffer >>>= width
    filled -= width
  }
  return at
}
