import { noKeys } from './messages.js'

/** Reading rows, adding to them, moving them here, or refreshing copies; ended when `open` is 0. */
export interface Operation {
  readonly id: number
  readonly type: 'pull' | 'push' | 'localize' | 'sync'
  /** Ascending. */
  readonly keys: Uint32Array
  /** Where the rows are read into, or the values to add; concatenated. */
  readonly values: Float32Array
  /** How many of the keys are not done. */
  open: number
  /** For each key whether it is done. */
  readonly isDone: Uint8Array
}

/** An operation with nothing to wait for. */
export const finished: Operation = {
  id: 0,
  type: 'localize',
  keys: noKeys,
  values: new Float32Array(0),
  open: 0,
  isDone: new Uint8Array(0)
}

/** The index of a key among ascending ones, or −1. */
export function indexOf(keys: Uint32Array, key: number): number {
  let low = 0
  let high = keys.length - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    if (keys[middle] === key) return middle
    if (keys[middle] < key) low = middle + 1
    else high = middle - 1
  }
  return -1
}

/** The index of a key that an operation still waits for, or −1. */
export function openIndexOf({ keys, isDone }: Operation, key: number): number {
  const index = indexOf(keys, key)
  return index >= 0 && isDone[index] === 0 ? index : -1
}

/** The values of some rows, concatenated. */
export function rowsAt(values: Float32Array, indices: readonly number[], width: number): Float32Array {
  const rows = new Float32Array(indices.length * width)
  for (let slot = 0; slot < indices.length; slot++)
    for (let i = 0, from = indices[slot] * width; i < width; i++) rows[slot * width + i] = values[from + i]
  return rows
}

/** Groups indices by what each belongs to, in the order of first appearance. */
export function grouped(indices: Iterable<number>, groupOf: (index: number) => number): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  for (const index of indices) {
    const name = groupOf(index)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [index])
    else group.push(index)
  }
  return groups
}

/** Some of the keys. */
export function keysAt(keys: Uint32Array, indices: readonly number[]): Uint32Array {
  const some = new Uint32Array(indices.length)
  for (let i = 0; i < indices.length; i++) some[i] = keys[indices[i]]
  return some
}

/** Keys in parts of at most `most`; at least one part. */
export function inParts(keys: Uint32Array, most: number): readonly Uint32Array[] {
  const parts: Uint32Array[] = []
  for (let start = 0; start === 0 || start < keys.length; start += most) parts.push(keys.slice(start, start + most))
  return parts
}
