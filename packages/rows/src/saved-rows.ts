/** What a peer with keyed rows saves between two rounds: the rows that it holds then. */
import { InputError, type TaskRows } from '@murmuration/core'
import type { Saved } from '@murmuration/engine'
import { allFinite } from '@murmuration/vectors'
import { keysText } from './held-rows.js'

/** The rows of one peer before a round. Those of all peers together are all rows, each once. */
export interface SavedRows {
  /** The next round. */
  readonly round: number
  /** How many samples the peer has processed. */
  readonly samples: number
  /** Ascending. */
  readonly keys: Uint32Array
  /** The rows of these keys, concatenated. */
  readonly rows: Float32Array
}

/** As named vectors; keys bit by bit, as messages have them. */
export function packRows({ round, samples, keys, rows }: SavedRows): Saved {
  return {
    tree: { round, samples, keys: ['keys'], rows: ['rows'] },
    vectors: new Map([
      ['keys', new Float32Array(keys.slice().buffer)],
      ['rows', rows]
    ])
  }
}

/**
 * What {@link packRows} returned.
 *
 * @throws InputError when it is not of such a run: other parts, keys that do not ascend, or numbers that are not finite
 */
export function unpackRows(
  { tree, vectors }: Saved,
  { count, width }: Pick<TaskRows, 'count' | 'width'>,
  rounds: number
): SavedRows {
  const { round, samples } = tree as { readonly [name in keyof SavedRows]?: unknown }
  const bits = vectors.get('keys')
  const rows = vectors.get('rows')
  const isWhole = isCount(round) && round <= rounds && isCount(samples)
  if (!isWhole || bits === undefined || rows === undefined)
    throw new InputError(`found no rows of keys before a round up to ${rounds}, expected them`)
  const keys = new Uint32Array(bits.slice().buffer)
  if (keys.some((key, index) => key >= count || (index > 0 && key <= keys[index - 1])))
    throw new InputError(`the keys: expected ascending ones below ${count}`)
  if (rows.length !== keys.length * width)
    throw new InputError(`found ${rows.length} numbers in the rows, expected ${keys.length * width}`)
  if (!allFinite(rows)) throw new InputError('the rows: found NaN or infinite numbers')
  return { round, samples, keys, rows }
}

/** Throws an InputError, with the keys, unless a peer that restores these rows holds exactly them. */
export function checkHeld(held: Uint32Array, { keys, round }: SavedRows): void {
  const added = without(held, keys)
  const lost = without(keys, held)
  const texts = [
    ...(added.length === 0 ? [] : [`no peer has saved the rows of ${keysText(added)}`]),
    ...(lost.length === 0 ? [] : [`another peer has saved the rows of ${keysText(lost)}, too`])
  ]
  if (texts.length > 0)
    throw new InputError(`the checkpoints of round ${round} do not fit together: ${texts.join('; ')}`)
}

function without(keys: Uint32Array, others: Uint32Array): readonly number[] {
  const excluded = new Set(others)
  return [...keys].filter((key) => !excluded.has(key))
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
