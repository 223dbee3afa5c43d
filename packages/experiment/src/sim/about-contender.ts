import { givenOptions, recordOf } from '../training/algorithm-choice.js'
import type { Contender } from './scenario.js'

/** A sentence on a contender: its algorithm with all of its options, and who published it. */
export function aboutContender({ choice }: Contender): string {
  const { title, source } = recordOf(choice)
  const told = Object.entries(givenOptions(choice)).map(
    ([option, value]) => `${option} ${JSON.stringify(value).replaceAll('"', '')}`
  )
  return `${[title, ...told].join(', ')} (${source}).`
}
