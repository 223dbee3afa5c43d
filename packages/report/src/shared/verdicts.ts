/** Which method wins in a setting, and by how much. */
import type { Case, PageData, Spread } from './page-data.js'
import type { MeasureKey } from './measures.js'

/** The best two methods tie if their factor is at most this. */
export const maxTie = 1.01

/** Methods are given by their indices. */
export type MethodVerdict =
  /** None reached the target. */
  | { readonly kind: 'none' }
  /** Only one reached the target, or only methods of one kind. */
  | { readonly kind: 'alone'; readonly winner: number }
  | {
      /** 'tie': less than 1 % apart. */
      readonly kind: 'win' | 'tie'
      readonly winner: number
      readonly runnerUp: number
      /** The runner-up's value divided by the winner's, 1 or more. */
      readonly factor: number
      /** Whether the ranges of the two over the seeds overlap: then the difference may be chance. */
      readonly overlap: boolean
    }

/**
 * Compares the medians. Equal ones keep the order of the list. The runner-up is of another kind than the winner: a
 * method's lead over its own unfused form says nothing about the winner.
 *
 * @param kinds - the kind of each method
 */
export function verdictOf(spreads: readonly (Spread | null)[], kinds: readonly string[]): MethodVerdict {
  const ranked = spreads
    .flatMap((spread, method) => (spread && spread.middle !== null ? [{ spread, middle: spread.middle, method }] : []))
    .sort((a, b) => a.middle - b.middle)
  if (ranked.length === 0) return { kind: 'none' }
  const [first] = ranked
  const second = ranked.slice(1).find(({ method }) => kinds[method] !== kinds[first.method])
  if (second === undefined) return { kind: 'alone', winner: first.method }
  const factor = first.middle === second.middle ? 1 : second.middle / first.middle
  return {
    kind: factor <= maxTie ? 'tie' : 'win',
    winner: first.method,
    runnerUp: second.method,
    factor,
    overlap: first.spread.high === null || first.spread.high >= (second.spread.low ?? Infinity)
  }
}

/** The verdict on a case by one measure. */
export function verdictIn({ kinds }: Pick<PageData, 'kinds'>, { entries }: Case, key: MeasureKey): MethodVerdict {
  return verdictOf(
    entries.map((entry) => entry?.measures[key] ?? null),
    kinds
  )
}

/** The median of a method in a case; null if the target was never reached or the method not run. */
export const middleOf = ({ entries }: Case, method: number, key: MeasureKey): number | null =>
  entries[method]?.measures[key].middle ?? null

/** The value of `one` divided by the value of `other`. Undefined when either does not reach the target. */
export function factorIn(of: Case, one: number, other: number, key: MeasureKey): number | undefined {
  const above = middleOf(of, one, key)
  const below = middleOf(of, other, key)
  if (above === null || below === null) return undefined
  return above === below ? 1 : above / below
}

/** “bandwidth 10 Mbit/s, latency 5 ms”, for all axes or those that `shown` accepts. */
export function caseText(
  { axes }: Pick<PageData, 'axes'>,
  { places }: Pick<Case, 'places'>,
  shown: (axis: number) => boolean = () => true
): string {
  if (axes.length === 0) return 'the only setting'
  return axes.flatMap(({ name, values }, axis) => (shown(axis) ? [`${name} ${values[places[axis]]}`] : [])).join(', ')
}

/** The case at these indices; undefined if nothing was run there. */
export function caseAt({ cases }: Pick<PageData, 'cases'>, places: readonly number[]): Case | undefined {
  return cases.find((candidate) => candidate.places.every((index, axis) => index === places[axis]))
}
