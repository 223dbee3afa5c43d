import type { Described } from './needs.js'
import type { StopConditions } from './stop-rule.js'

/** Why checkpoints of all peers at the same round are inconsistent, in words; undefined where they are not. */
export function checkpointProblem(record: Described): string | undefined {
  if (!isAsynchronous(record)) return undefined
  return `${record.title} is asynchronous: while one peer begins a round, others are in earlier or later ones, so checkpoints of one round do not fit together`
}

/**
 * Why the peers cannot end training in the same round by a rule, before all rounds are over, and what to do; undefined
 * where they can.
 */
export function stopProblem(record: Described, { gap }: StopConditions = {}): string | undefined {
  const { title, needs } = record
  if (isAsynchronous(record))
    return `${title} is asynchronous: each peer counts its own rounds, so none can be the last of all; omit stop`
  if (gap === undefined || needs.dual === true) return undefined
  return `${title} has no duality gap; omit gap, or choose an algorithm that has one: cola`
}

function isAsynchronous({ pace, answers, server, keeps }: Described): boolean {
  return (
    pace === 'own' ||
    answers !== undefined ||
    server?.answers !== undefined ||
    (server !== undefined && keeps === 'nothing')
  )
}
