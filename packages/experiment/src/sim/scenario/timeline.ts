import { isDeepStrictEqual } from 'node:util'
import { nearest } from '@murmuration/files'
import { type Problem, problem, within } from '@murmuration/core'
import type { Axis, AxisName, AxisValue } from './axes.js'
import type { Method, Scenario, TimelineRequest } from './scenario.js'
import type { ScenarioDescription } from './schema.js'

type TimelineDescription = NonNullable<ScenarioDescription['timeline']>

/** Which runs have a timeline: those of the first setting and seed, unless the file says otherwise. */
export function timelineOf(
  { methods, from, to, at }: TimelineDescription,
  axes: readonly Axis[],
  all: readonly Method[],
  seeds: readonly number[]
): TimelineRequest {
  const settings = axes.map((axis) => [axis.name, (chosen(axis, at) ?? axis.values[0]).setting] as const)
  return {
    methods: methods === 'all' ? all.map(({ label }) => label) : methods,
    from,
    to,
    settings: Object.fromEntries(settings),
    seed: at.seed ?? seeds[0]
  }
}

/** Reports labels that no method has, settings that do not occur, and intervals that end before they begin. */
export function timelineProblems(
  timeline: ScenarioDescription['timeline'],
  { axes, methods, seeds }: Pick<Scenario, 'axes' | 'methods' | 'seeds'>
): Problem[] {
  if (timeline === undefined) return []
  const { from, to, at } = timeline
  const labels = methods.map(({ label }) => label)
  const named = timeline.methods === 'all' ? [] : timeline.methods
  const unknownNames = named.flatMap((label, index) =>
    labels.includes(label)
      ? []
      : [problem(['methods', index], `found "${label}", ${oneOf(labels)}${nearest(label, labels)}`)]
  )
  const interval = from < to ? [] : [problem(['to'], `found ${to} ms, expected more than ${from} ms, where it begins`)]
  const seed =
    at.seed === undefined || seeds.includes(at.seed)
      ? []
      : [problem(['at', 'seed'], `found ${at.seed}, ${oneOf(seeds)}`)]
  return within(['timeline'], [...unknownNames, ...interval, ...seed, ...within(['at'], choiceProblems(at, axes))])
}

function choiceProblems({ seed: _, ...at }: TimelineDescription['at'], axes: readonly Axis[]): Problem[] {
  const names = axes.map(({ name }) => name)
  return (Object.keys(at) as AxisName[]).flatMap((name): Problem[] => {
    const axis = axes.find((one) => one.name === name)
    if (axis === undefined) {
      const expected = names.length > 0 ? oneOf(names) : 'expected nothing, since nothing varies'
      return [{ path: [name], at: 'key', message: `found "${name}", ${expected}` }]
    }
    if (chosen(axis, at) !== undefined) return []
    const settings = axis.values.map(({ setting }) => setting)
    return [problem([name], `found a value that vary.${name} does not have, ${oneOf(settings)}`)]
  })
}

function chosen({ name, values }: Axis, at: Readonly<Partial<Record<AxisName, unknown>>>): AxisValue | undefined {
  return values.find(({ value }) => isDeepStrictEqual(value, at[name]))
}

function oneOf(words: readonly (string | number)[]): string {
  const shown = words.length <= 12 ? words.join(', ') : `${words.slice(0, 10).join(', ')} and ${words.length - 10} more`
  return words.length === 1 ? `expected ${shown}` : `expected one of ${shown}`
}
