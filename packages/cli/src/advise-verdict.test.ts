import type { AdvisedPlan } from '@murmuration/experiment/advise'
import test from 'ava'
import { verdictOn } from './advise-verdict.js'

/** A plan with its times for the seeds for choosing, and for fresh ones. */
function planOf(algorithm: string, reached: readonly number[], fresh: readonly number[], isGiven = false): AdvisedPlan {
  const choice = { algorithm: { name: 'dpsgd' }, codec: 'int8', rate: 0.1 } as const
  return { choice, algorithm, graph: 'ring', isGiven, reached, fresh, averaging: 0, bytes: 1 }
}

const best = planOf('Best', [1, 1, 1], [2, 1.5, 2.5, 1.8, 2])

test('a lead that only the seeds for choosing have is called a tie', (t) => {
  const [verdict] = verdictOn(planOf('Next', [1.4, 1.5, 1.6], [2.1, 1.4, 2.4, 1.9, 2.1]), best)
  t.regex(
    verdict,
    /^The plan Next, int8, rate 0\.1, takes 1\.01 times as long as the first \(95 % interval 0\.9\d+ to 1\.0\d+\), which is a tie\.$/
  )
})

test('a lead with fresh seeds is told with its interval, one over the first plan too', (t) => {
  t.deepEqual(verdictOn(planOf('Given', [1, 1, 1], [6, 4.5, 7.5, 5.4, 6], true), best), [
    'The plan of the files takes 3.00 times as long as the first (95 % interval 3.00 to 3.00).'
  ])
  const [faster] = verdictOn(planOf('Next', [2, 2, 2], [1, 0.8, 1.2, 0.9, 1]), best)
  t.regex(faster, /, so it is the faster one with these seeds\.$/)
})

test('of a plan that misses the loss with fresh seeds, how often is told; of one without fresh seeds, nothing', (t) => {
  const misses = planOf('Best', [1, 1, 1], [2, Number.POSITIVE_INFINITY, 2, 2, 2])
  t.deepEqual(verdictOn(misses, misses), [
    'The plan Best, int8, rate 0.1, does not reach this loss in its rounds with 1 of 5 fresh seeds.'
  ])
  t.deepEqual(verdictOn(planOf('Third', [3, 3, 3], []), best), [])
})
