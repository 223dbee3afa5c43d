import { InputError } from '@murmuration/core'
import { isNumber } from './cells.js'
import { NumberList } from './number-list.js'
import { forEachLine } from './read-text.js'

/** Ratings of items by users. */
export interface Ratings {
  readonly users: number
  readonly items: number
  /** One element per rating: its user, 0 … users − 1; its item, 0 … items − 1; and the rating. */
  readonly user: Uint32Array
  readonly item: Uint32Array
  readonly value: Float32Array
}

const header = 'userId,movieId,rating'

/** The maximum number of ratings, 2^25. */
const maxRatings = 2 ** 25

/**
 * A file of ratings in the format of MovieLens' `ratings.csv`: a first line `userId,movieId,rating,timestamp`, then one
 * rating per line. Users and items are numbered in the order of their ids. Cells after the rating are ignored.
 *
 * Throws an {@link InputError} that names the file and the line.
 */
export async function readRatings(path: string): Promise<Ratings> {
  const users = new NumberList(Float64Array)
  const items = new NumberList(Float64Array)
  const ratings = new NumberList(Float32Array)
  let first = ''
  await forEachLine(path, 'a file of ratings, such as ratings.csv of MovieLens', (line, number) => {
    if (number === 1) {
      first = line
      checkHeader(path, first)
      return
    }
    if (ratings.length === maxRatings)
      throw new InputError(`${path}: more than ${maxRatings} ratings, the most that are read; use a part of the lines`)
    const [user = '', item = '', rating = ''] = line.split(',', 3)
    const place = { path, line: number }
    users.push(numberIn(user, 0, place))
    items.push(numberIn(item, 1, place))
    ratings.push(numberIn(rating, 2, place))
  })
  checkHeader(path, first)
  if (ratings.length === 0) throw new InputError(`${path}: found no ratings, expected one per line after the first`)
  const user = numbered(users.values)
  const item = numbered(items.values)
  return { users: user.count, items: item.count, user: user.places, item: item.places, value: ratings.values }
}

function checkHeader(path: string, line: string): void {
  if (!line.startsWith(header))
    throw new InputError(`${path}: line 1 is "${line.slice(0, 80)}", expected ${header},timestamp`)
}

/** The number in a cell: an id, or in column 2 a rating. */
function numberIn(
  cell: string,
  column: number,
  { path, line }: { readonly path: string; readonly line: number }
): number {
  const text = cell.trim()
  const number = isNumber(text) ? Number(text) : Number.NaN
  const isRight = column === 2 ? Number.isFinite(Math.fround(number)) : Number.isSafeInteger(number) && number >= 0
  if (isRight) return number
  const expected = column === 2 ? 'a number' : 'a whole number of at least 0'
  throw new InputError(
    `${path}: line ${line} has "${cell.slice(0, 40)}" as ${header.split(',')[column]}, expected ${expected}`
  )
}

/** Ids as their ranks among the distinct ids. */
interface Numbered {
  readonly count: number
  readonly places: Uint32Array
}

/** Without a map, which takes many bytes for each id and has room for 2^24. */
function numbered(ids: Float64Array): Numbered {
  const max = ids.reduce((most, id) => Math.max(most, id), 0)
  return max < 4 * ids.length + 1024 ? numberedByTable(ids, max) : numberedBySearch(ids)
}

function numberedByTable(ids: Float64Array, max: number): Numbered {
  const ranks = new Uint32Array(max + 1)
  for (const id of ids) ranks[id] = 1
  let count = 0
  for (let id = 0; id <= max; id++) if (ranks[id] === 1) ranks[id] = count++
  return { count, places: new Uint32Array(ids.length).map((_, n) => ranks[ids[n]]) }
}

/** For ids that are far apart. */
function numberedBySearch(ids: Float64Array): Numbered {
  const sorted = ids.slice().sort()
  let count = 0
  for (const id of sorted) if (count === 0 || id !== sorted[count - 1]) sorted[count++] = id
  const distinct = sorted.subarray(0, count)
  return { count, places: new Uint32Array(ids.length).map((_, n) => rankOf(ids[n], distinct)) }
}

/** The index of a number in a sorted list that has it. */
function rankOf(id: number, sorted: Float64Array): number {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle] < id) low = middle + 1
    else high = middle
  }
  return low
}
