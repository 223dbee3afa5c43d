import type { Algorithm } from '../record/record.js'

/** Why checkpoints of all peers at the same round are inconsistent, in words; undefined where they are not. */
export function checkpointProblem({ title, pace, answers, server, keeps }: Algorithm): string | undefined {
  const isAsynchronous =
    pace === 'own' ||
    answers !== undefined ||
    server?.answers !== undefined ||
    (server !== undefined && keeps === 'nothing')
  if (!isAsynchronous) return undefined
  return `${title} is asynchronous: while one peer begins a round, others are in earlier or later ones, so checkpoints of one round do not fit together`
}
