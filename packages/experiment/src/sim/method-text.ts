import { givenOptions, recordOf } from '../training/algorithm-choice.js'
import type { Method } from './scenario.js'

/** A sentence on a method: its algorithm with all of its options, and who published it. */
export function methodText({ algorithm }: Method): string {
  const { title, source } = recordOf(algorithm)
  const told = Object.entries(givenOptions(algorithm)).map(
    ([option, value]) => `${option} ${JSON.stringify(value).replaceAll('"', '')}`
  )
  return `${[title, ...told].join(', ')} (${source}).`
}
