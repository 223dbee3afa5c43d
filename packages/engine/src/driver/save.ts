/** Converts a state to named vectors and a JSON tree that says where each belongs. */
import { InputError, invariant } from '@murmuration/core'
import { allFinite } from '@murmuration/vectors'
import { perPeer, type State } from '../record/record.js'
import { type Arena, isVector, type Vector } from '../vectors/vector.js'

/** A number, a text for a number that JSON lacks, a record, or a vector as `[name]`. */
export type SavedTree = number | string | readonly [string] | { readonly [name: string]: SavedTree }

/** Numbers that JSON lacks. */
const special: ReadonlyMap<unknown, number> = new Map([-0, Infinity, -Infinity].map((value) => [textOf(value), value]))

function textOf(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value)
}

/** A saved session. */
export interface Saved {
  readonly tree: SavedTree
  /** By name: the path in the tree, such as `training/state/x`. */
  readonly vectors: ReadonlyMap<string, Float32Array>
}

/** States are nested less deeply than this. */
const maxDepth = 16

/**
 * The state as views of its vectors, not copies: valid until the next step. Throws an invariant error where a number is
 * NaN.
 */
export function pack(state: State): Saved {
  const vectors = new Map<string, Float32Array>()
  const write = (value: Vector | number | State, path: readonly string[]): SavedTree => {
    if (typeof value === 'number') return numberOf(value, path)
    if (!isVector(value)) {
      const parts = Object.entries(value).flatMap(([name, part]) =>
        part === undefined ? [] : [[name, write(part, [...path, escaped(name)])]]
      )
      return Object.fromEntries(parts) as SavedTree
    }
    const name = path.join('/')
    vectors.set(name, value.values)
    return [name]
  }
  return { tree: write(state, []), vectors }
}

/** The same with copies of the vectors, which stay valid. */
export function copyOf({ tree, vectors }: Saved): Saved {
  return { tree, vectors: new Map([...vectors].map(([name, vector]) => [name, vector.slice()])) }
}

/** The names of the vectors in a tree, in its order. */
export function vectorNames(tree: SavedTree): readonly string[] {
  if (typeof tree !== 'object') return []
  if (Array.isArray(tree)) return [(tree as readonly [string])[0]]
  return Object.values(tree as { readonly [name: string]: SavedTree }).flatMap(vectorNames)
}

/**
 * Restores the state that {@link pack} returned.
 *
 * @param length - the greatest length of a vector
 * @throws InputError when the input is not such a state
 */
export function unpack({ tree, vectors }: Saved, arena: Arena, length: number): State {
  const unused = new Set(vectors.keys())
  const read = (value: SavedTree, path: string, depth: number): Vector | number | State => {
    if (typeof value === 'number' && Number.isFinite(value)) return value
    const number = special.get(value)
    if (number !== undefined) return number
    if (Array.isArray(value)) return readVector(value, path)
    if (!isRecord(value) || depth === maxDepth)
      throw new InputError(`${path}: found ${typeof value}, expected a number, a vector or a record`)
    const record = perPeer<State[string]>()
    for (const [name, part] of Object.entries(value)) record[name] = read(part, `${path}/${name}`, depth + 1)
    return record
  }
  const readVector = (names: readonly unknown[], path: string): Vector => {
    const [name] = names
    const numbers = typeof name === 'string' ? vectors.get(name) : undefined
    if (typeof name !== 'string' || numbers === undefined || !unused.delete(name))
      throw new InputError(`${path}: found no vector of its own, expected one`)
    if (numbers.length > length)
      throw new InputError(`${path}: found ${numbers.length} numbers, expected at most ${length}`)
    if (!allFinite(numbers)) throw new InputError(`${path}: found NaN or infinite numbers`)
    return arena.compute(numbers.length, (out, from, to) => out.set(numbers.subarray(from, to), from))
  }
  const state = read(tree, 'the state', 0)
  if (unused.size > 0) throw new InputError(`the state does not use ${[...unused].join(', ')}`)
  if (typeof state === 'number' || isVector(state)) throw new InputError('the state: found no record, expected one')
  return state
}

/**
 * Throws an InputError unless `found` has everything that `expected` has, with the same kinds and lengths. Records may
 * have more, since some have an entry per peer.
 */
export function checkFits(found: State[string] | undefined, expected: State[string], path = 'the state'): void {
  if (expected === undefined) return
  if (found === undefined || kindOf(found) !== kindOf(expected))
    throw new InputError(
      `${path}: found ${found === undefined ? 'nothing' : kindOf(found)}, expected ${kindOf(expected)}`
    )
  if (typeof expected === 'number' || isVector(expected)) return
  for (const [name, part] of Object.entries(expected)) checkFits((found as State)[name], part, `${path}/${name}`)
}

/** The state with its records emptied: their content may differ from round to round. */
export function withoutRecords(state: State): State {
  const parts = Object.entries(state).map(([name, value]) => [
    name,
    typeof value === 'object' && !isVector(value) ? {} : value
  ])
  return Object.fromEntries(parts) as State
}

/** Throws an InputError unless these are whole numbers, and the round is at most `rounds`. */
export function checkCounts(
  counts: { readonly round: State[string]; readonly drawn: State[string] },
  rounds: number
): void {
  for (const [name, count] of Object.entries(counts)) {
    const most = name === 'round' ? rounds : Number.MAX_SAFE_INTEGER
    if (Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= most) continue
    throw new InputError(`the state/${name}: found ${String(count)}, expected a whole number up to ${most}`)
  }
}

function kindOf(value: State[string]): string {
  if (typeof value === 'number') return 'a number'
  return isVector(value) ? `a vector of ${value.length}` : 'a record'
}

function numberOf(value: number, path: readonly string[]): SavedTree {
  invariant(!Number.isNaN(value), () => `${path.join('/')} is NaN, which cannot be saved`)
  const text = textOf(value)
  return special.has(text) ? text : value
}

/** As in JSON pointers (RFC 6901), so that paths are unique. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function isRecord(value: unknown): value is { readonly [name: string]: SavedTree } {
  return typeof value === 'object' && value !== null
}
