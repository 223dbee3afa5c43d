/** Parts of a sweep: each was simulated separately, such as in a job of a cluster, and together they are the whole. */
import { InputError } from '@murmuration/core'
import { inOrder, runsOfSweep } from './files/order.js'
import type { NamedResults } from './merge.js'
import type { Results, Sweep, SweepPart } from './results.js'

/**
 * The items of a part: every `of`-th, starting with the `number`-th. The parts of a list are disjoint and cover it;
 * their lengths differ by at most one.
 */
export function ofPart<Item>(items: readonly Item[], { number, of }: SweepPart): readonly Item[] {
  return items.filter((_, index) => index % of === number - 1)
}

/** How many runs the complete sweep has, or the complete part if the results belong to one. */
export function runsExpected(sweep: Sweep): number {
  const all = runsOfSweep(sweep)
  return sweep.part === undefined ? all : Math.ceil((all - sweep.part.number + 1) / sweep.part.of)
}

/** The form on the command line. */
export const partText = ({ number, of }: SweepPart): string => `${number}/${of}`

/**
 * Merges the parts of a sweep as if it had been simulated at once; also returns the numbers of missing parts. Throws an
 * InputError when the folders are not parts of one sweep, or a part occurs twice.
 */
export function mergeParts(folders: readonly NamedResults[]): {
  readonly results: Results
  readonly missing: readonly number[]
} {
  const numbers = checkedNumbers(folders)
  const { part, ...sweep } = folders[0].results.sweep
  const of = part?.of ?? 0
  const all = folders.map(({ results }) => results)
  return {
    results: {
      sweep,
      runs: inOrder(
        sweep,
        all.flatMap(({ runs }) => runs)
      ),
      timelines: inOrder(
        sweep,
        all.flatMap(({ timelines }) => timelines)
      )
    },
    missing: Array.from({ length: of }, (_, index) => index + 1).filter((number) => !numbers.has(number))
  }
}

/** The name of each folder, by the number of its part. */
function checkedNumbers(folders: readonly NamedResults[]): ReadonlyMap<number, string> {
  const [first, ...others] = folders
  const numbers = new Map<number, string>()
  for (const { name, results } of folders) {
    const { part } = results.sweep
    if (part === undefined)
      throw new InputError(
        `${name} is not part of a sweep, but other folders are: join the parts first, without other folders`
      )
    const previous = numbers.get(part.number)
    if (previous !== undefined)
      throw new InputError(`part ${partText(part)} is in ${previous} and in ${name}: name it once`)
    numbers.set(part.number, name)
  }
  for (const other of others) {
    const differing = differences(first.results.sweep, other.results.sweep)
    if (differing.length === 0) continue
    throw new InputError(
      `${first.name} and ${other.name} are parts of different sweeps: they differ in ${differing.join(', ')}`
    )
  }
  return numbers
}

/** The fields in which two sweeps differ, except for the number of the part. */
function differences(one: Sweep, other: Sweep): readonly string[] {
  const [left, right] = [one, other].map((sweep) => Object.entries({ ...sweep, part: sweep.part?.of }))
  const texts = new Map(right.map(([field, value]) => [field, JSON.stringify(value)]))
  return left.filter(([field, value]) => texts.get(field) !== JSON.stringify(value)).map(([field]) => field)
}
