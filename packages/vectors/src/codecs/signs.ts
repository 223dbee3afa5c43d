/**
 * Numbers with long runs that differ only in sign, such as tensors of which a compressor keeps only signs. Layout,
 * little-endian: for each run its magnitude (float32) and its length (see run-lengths.ts), until there are enough
 * numbers; then a bit per number, 1 where it is negative, the first in the lowest bit of each byte.
 */
import { runLengthAt, runLengthBytes, writeRunLength } from './run-lengths.js'

const magnitudeBytes = 4
const signBit = 0x80000000
const signBytes = (count: number): number => Math.ceil(count / 8)

/** The bytes that `numbers`, given as bits of float32, take; some number above `most` if they take more than that. */
export function signsLength(numbers: Uint32Array, most: number): number {
  let bytes = signBytes(numbers.length)
  for (let from = 0; from < numbers.length && bytes <= most;) {
    const to = endOfRun(numbers, from)
    bytes += magnitudeBytes + runLengthBytes(to - from)
    from = to
  }
  return bytes
}

/** Writes `numbers`, given as bits of float32, to `view` from `start` on. Returns the position behind the last byte. */
export function writeSigns(numbers: Uint32Array, view: DataView, start: number): number {
  let at = start
  for (let from = 0; from < numbers.length;) {
    const to = endOfRun(numbers, from)
    view.setUint32(at, magnitudeOf(numbers[from]), true)
    at = writeRunLength(to - from, view, at + magnitudeBytes)
    from = to
  }
  for (let from = 0; from < numbers.length; from += 8) {
    let byte = 0
    for (let k = from; k < Math.min(from + 8, numbers.length); k++) byte |= (numbers[k] >>> 31) << (k - from)
    view.setUint8(at++, byte)
  }
  return at
}

/**
 * Reads as many numbers as `numbers` has room for. Returns the position behind the last byte; undefined when they
 * cannot be read.
 */
export function readSigns(view: DataView, start: number, numbers: Uint32Array): number | undefined {
  let at = start
  for (let filled = 0; filled < numbers.length;) {
    if (at + magnitudeBytes >= view.byteLength) return undefined
    const magnitude = magnitudeOf(view.getUint32(at, true))
    const length = runLengthAt(view, at + magnitudeBytes)
    if (length === 0 || length > numbers.length - filled) return undefined
    numbers.fill(magnitude, filled, filled + length)
    filled += length
    at += magnitudeBytes + runLengthBytes(length)
  }
  if (at + signBytes(numbers.length) > view.byteLength) return undefined
  for (let k = 0; k < numbers.length; k++)
    if ((view.getUint8(at + (k >>> 3)) >>> (k & 7)) & 1) numbers[k] = (numbers[k] | signBit) >>> 0
  return at + signBytes(numbers.length)
}

function endOfRun(numbers: Uint32Array, from: number): number {
  const magnitude = magnitudeOf(numbers[from])
  let to = from + 1
  while (to < numbers.length && magnitudeOf(numbers[to]) === magnitude) to++
  return to
}

function magnitudeOf(number: number): number {
  return (number & ~signBit) >>> 0
}
