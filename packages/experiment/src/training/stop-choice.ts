/** `stop:` in a training file: when the peers end training before all its rounds are over. */
import { type AnyAlgorithm, neededServers, stopProblem, type StopSettings } from '@murmuration/algorithms'
import { type Problem, problem, type Topology } from '@murmuration/core'
import { contraction, roundsToReachAll } from '@murmuration/topology'
import * as z from 'zod'
import { mappingSuchAs } from './schema-words.js'

/** How often the peers evaluate their models in a run, at least; in a long run every {@link maxEvery} rounds. */
const evaluations = 20
const maxEvery = 100

const conditions = ['loss', 'accuracy', 'patience', 'gap'] as const

export const stopSchema = z
  .strictObject(
    {
      loss: z.number().optional().meta({ description: 'The loss on the test set that is low enough' }),
      accuracy: z
        .number()
        .gt(0)
        .max(1)
        .optional()
        .meta({ description: 'The accuracy on the test set that is high enough, such as 0.95' }),
      patience: z
        .int()
        .min(1)
        .optional()
        .meta({ description: 'After how many evaluations in a row without a lower loss' }),
      gap: z
        .number()
        .positive()
        .optional()
        .meta({ description: 'The duality gap of all peers together that is small enough; with cola' })
    },
    { error: mappingSuchAs('{ accuracy: 0.95 }') }
  )
  .meta({
    description:
      'When the peers end training before all its rounds are over: as soon as a condition holds for the medians of what they measure; never when absent'
  })

/** When the peers end training. */
export type StopChoice = z.output<typeof stopSchema>

/** Rounds between two evaluations of the peers' models. */
function evaluatedEvery(rounds: number): number {
  return Math.max(1, Math.min(maxEvery, Math.floor(rounds / evaluations)))
}

/** What a file's rule says to the peers of a run, or to those of an epoch, with the graph of its workers. */
export function stopSettings(
  stop: StopChoice,
  record: AnyAlgorithm,
  { rounds, topology }: { readonly rounds: number; readonly topology: Topology }
): StopSettings {
  const reachesEveryone = record.needs.reach === 'everyone'
  const hops = neededServers(record) > 0 ? 2 : reachesEveryone ? 1 : Math.max(1, roundsToReachAll(topology))
  return {
    ...stop,
    every: evaluatedEvery(rounds),
    hops,
    ...(stop.gap !== undefined && { contraction: contraction(topology).perRound })
  }
}

/** Conditions that never hold, or that the peers cannot apply together. */
export function stopProblems(
  stop: StopChoice | undefined,
  { rounds, loss }: { readonly rounds: number; readonly loss: 'cross-entropy' | 'mean-squared-error' }
): readonly Problem[] {
  if (stop === undefined) return []
  const most = Math.floor((rounds - 1) / evaluatedEvery(rounds))
  const { accuracy, patience = 0 } = stop
  return [
    ...(conditions.some((name) => stop[name] !== undefined)
      ? []
      : [problem([], `found no condition, expected one of ${conditions.join(', ')}`)]),
    ...(accuracy === undefined || loss === 'cross-entropy'
      ? []
      : [
          problem(['accuracy'], `found ${accuracy}, expected none: with "loss: ${loss}" there is no accuracy; use loss`)
        ]),
    ...(patience < most
      ? []
      : [problem(['patience'], `found ${patience}, expected less than ${most}, the evaluations before the last round`)])
  ]
}

/** Why an algorithm's peers cannot end training together by a rule, and what to do; undefined where they can. */
export function stopRefusal(record: AnyAlgorithm, stop: StopChoice): string | undefined {
  if (record.kind === 'rows') return `${record.title} has keyed rows, whose workers train all rounds; omit stop`
  return stopProblem(record, stop)
}
