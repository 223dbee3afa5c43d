import { InputError } from '@murmuration/core'
import { readText } from './read-text.js'

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

/**
 * A file of ratings in the format of MovieLens' `ratings.csv`: a first line `userId,movieId,rating,timestamp`, then one rating per line. Users and
 * items are numbered in the order of their ids. Cells after the rating are ignored.
 *
 * Throws an {@link InputError} that names the file and the line.
 */
export async function readRatings(path: string): Promise<Ratings> {
  return parseRatings(await readText(path, 'a file of ratings, such as ratings.csv of MovieLens'), path)
}

/** As {@link readRatings}, for a text. */
function parseRatings(text: string, name: string): Ratings {
  const lines = text.split(/\r?\n/)
  if (!lines[0].startsWith(header))
    throw new InputError(`${name}: line 1 is "${lines[0].slice(0, 80)}", expected ${header},timestamp`)
  if (lines.at(-1) === '') lines.pop()
  const count = lines.length - 1
  if (count === 0) throw new InputError(`${name}: found no ratings, expected one per line after the first`)
  const columns = [new Float64Array(count), new Float64Array(count), new Float64Array(count)]
  for (let row = 0; row < count; row++) {
    const cells = lines[row + 1].split(',', 3)
    for (let column = 0; column < 3; column++) {
      const cell = cells[column] ?? ''
      const number = cell.trim() === '' ? Number.NaN : Number(cell)
      const isRight = column === 2 ? Number.isFinite(Math.fround(number)) : Number.isSafeInteger(number) && number >= 0
      if (!isRight) {
        const expected = column === 2 ? 'a number' : 'a whole number of at least 0'
        throw new InputError(
          `${name}: line ${row + 2} has "${cell.slice(0, 40)}" as ${header.split(',')[column]}, expected ${expected}`
        )
      }
      columns[column][row] = number
    }
  }
  const [user, item] = [numbered(columns[0]), numbered(columns[1])]
  return {
    users: user.count,
    items: item.count,
    user: user.places,
    item: item.places,
    value: Float32Array.from(columns[2])
  }
}

/** The rank of each id among the distinct ids. */
function numbered(ids: Float64Array): { readonly count: number; readonly places: Uint32Array } {
  const all = [...new Set(ids)].sort((left, right) => left - right)
  const places = new Map(all.map((id, index) => [id, index]))
  return { count: all.length, places: Uint32Array.from(ids, (id) => places.get(id) ?? 0) }
}
