import { sizeOf } from './bits'
import { codes, histogram, largest, numbers, reference, selectedEnd } from './layout'

/** How many numbers are processed side by side. */
export const changeStep: i32 = 4

/** Finds the largest magnitude of the numbers up to the address `end`. */
export function inspect(end: usize): void {
  let seen = i32x4.splat(0)
  let from = numbers
  do {
    seen = i32x4.max_s(seen, sizeOf(v128.load(from)))
    from += 16
  } while (from < end)
  v128.store(largest, seen)
}

/**
 * A histogram over the numbers up to the address `end` whose changes since the reference have the bits `wanted` where
 * `mask` has ones: counts the values of their bits from `shift` on; `bins` is the largest such value.
 */
export function countChanges(end: usize, mask: i32, wanted: i32, shift: i32, bins: i32): void {
  let known = reference
  let from = numbers
  do {
    const size = sizeOf(f32x4.sub(v128.load(from), v128.load(known)))
    const matches = i32x4.eq(v128.and(size, i32x4.splat(mask)), i32x4.splat(wanted))
    if (v128.any_true(matches)) {
      if (i32x4.extract_lane(matches, 0)) count((i32x4.extract_lane(size, 0) >>> shift) & bins)
      if (i32x4.extract_lane(matches, 1)) count((i32x4.extract_lane(size, 1) >>> shift) & bins)
      if (i32x4.extract_lane(matches, 2)) count((i32x4.extract_lane(size, 2) >>> shift) & bins)
      if (i32x4.extract_lane(matches, 3)) count((i32x4.extract_lane(size, 3) >>> shift) & bins)
    }
    from += 16
    known += 16
  } while (from < end)
}

@inline
function count(bin: usize): void {
  const counter = histogram + (bin << 2)
  store<u32>(counter, load<u32>(counter) + 1)
}

/**
 * Of the numbers up to the address `end`, selects those whose changes have the bits `minSize` or more. Writes their
 * places (in bytes) and changes, one after the other, to the area `codes`, and the address behind the last one to
 * `selectedEnd`.
 */
export function selectChanges(end: usize, minSize: i32): void {
  let known = reference
  let to = codes
  let from = numbers
  do {
    const changes = f32x4.sub(v128.load(from), v128.load(known))
    const matches = i32x4.gt_s(sizeOf(changes), i32x4.splat(minSize - 1))
    if (v128.any_true(matches)) {
      to = keep(to, from, i32x4.extract_lane(changes, 0), i32x4.extract_lane(matches, 0))
      to = keep(to, from + 4, i32x4.extract_lane(changes, 1), i32x4.extract_lane(matches, 1))
      to = keep(to, from + 8, i32x4.extract_lane(changes, 2), i32x4.extract_lane(matches, 2))
      to = keep(to, from + 12, i32x4.extract_lane(changes, 3), i32x4.extract_lane(matches, 3))
    }
    from += 16
    known += 16
  } while (from < end)
  store<usize>(selectedEnd, to)
}

@inline
function keep(to: usize, place: usize, change: i32, matches: i32): usize {
  store<usize>(to, place)
  store<i32>(to, change, 4)
  // A match is −1, and its lower bits give 8: this avoids an unpredictable branch.
  return to + (matches & 8)
}
