/**
 * What code of users gives is checked once, at the start and in the first round: all later rounds have the same shape.
 */
import { InputError, type WorkPart } from '@murmuration/core'
import type { Algorithm } from '../record/record.js'
import { isVector, type Range, type State } from '../vectors/vector.js'

/** A function of an algorithm in an error: with the user's module, if it comes from one. */
export function functionOf(what: string, { name, module }: Pick<Algorithm, 'name' | 'module'>): string {
  return module === undefined ? `${what} of the algorithm ${name}` : `${what} of the algorithm's module ${module}`
}

/** Throws an InputError unless a function has returned a state: named vectors, numbers, and records of them. */
export function checkState(source: string, found: unknown): asserts found is State {
  const isRight = isRecord(found) && !isVector(found as State) && Object.values(found).every(isPart)
  if (!isRight)
    throw new InputError(`${source} returns ${shapeOf(found)}, expected a state of vectors, numbers and records`)
}

/** Throws an InputError unless a function has returned a state with the parts that the state had before. */
export function checkNext(source: string, found: unknown, expected: State): void {
  const foundShape = shapeOf(found)
  const expectedShape = shapeOf(expected)
  if (foundShape === expectedShape) return
  throw new InputError(`${source} returns ${foundShape}, expected a state like the one before, ${expectedShape}`)
}

/** Throws an InputError unless a function has given as many numbers as there are parameters. */
export function checkNumbers(source: string, found: unknown, length: number): void {
  const count = isRecord(found) ? Number((found as { readonly length?: unknown }).length) : Number.NaN
  if (count === length) return
  const given = Number.isNaN(count) ? shapeOf(found) : `${count} numbers`
  throw new InputError(`${source} gives ${given}, expected ${length}, as many as there are parameters`)
}

/** Those that were checked: a task's works share theirs. */
const checkedWorkParts = new WeakSet<readonly WorkPart[]>()

/** Throws an InputError unless the parts of the task's gradient are whole tensors, each once, in the order of time. */
export function checkWorkParts(parts: readonly WorkPart[], tensors: readonly Range[]): void {
  if (checkedWorkParts.has(parts)) return
  const starts = new Set(tensors.map(({ offset }) => offset))
  let end = 0
  for (const { offset, length } of [...parts].sort((left, right) => left.offset - right.offset)) {
    const isNext = offset === end && starts.has(offset) && length > 0
    if (!isNext) throw new InputError(wrongParts(`one at ${offset}`, `whole tensors, each once, the next at ${end}`))
    end += length
  }
  const { offset, length } = tensors.at(-1) ?? { offset: 0, length: 0 }
  if (end !== offset + length)
    throw new InputError(wrongParts(`parts up to ${end}`, `all tensors, up to ${offset + length}`))
  let before = 0
  for (const { done } of parts) {
    const isLater = done >= before && done > 0 && done <= 1
    if (!isLater) throw new InputError(wrongParts(`${done} after ${before}`, 'fractions that do not fall, 0 to 1'))
    before = done
  }
  checkedWorkParts.add(parts)
}

function wrongParts(found: string, expected: string): string {
  return `the parts of the task's gradient: found ${found}, expected ${expected}`
}

/** `{ w: a number, x: a vector of 650 }`. The content of records may differ from round to round. */
function shapeOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (!isRecord(value)) return partOf(value)
  if (isVector(value as State)) return partOf(value)
  const parts = Object.entries(value).map(([name, part]) => `${name}: ${partOf(part)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.sort().join(', ')} }`
}

function partOf(value: unknown): string {
  if (typeof value === 'number') return 'a number'
  if (!isRecord(value)) return value === undefined ? 'nothing' : `a ${value === null ? 'null' : typeof value}`
  if (isVector(value as State)) return `a vector of ${(value as { readonly length?: number }).length}`
  if (ArrayBuffer.isView(value) || Array.isArray(value)) return `a ${value.constructor.name}`
  return 'a record'
}

function isPart(value: unknown): boolean {
  return ['a number', 'a record'].includes(partOf(value)) || (isRecord(value) && isVector(value as State))
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
