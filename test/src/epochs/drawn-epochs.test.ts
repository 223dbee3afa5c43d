/** Random runs in epochs with faults and churn keep the invariants of docs/understand/membership.md. */
import test from 'ava'
import { epochProblems } from './try-epochs.js'

const first = Number(process.env.MURMURATION_SEED ?? 1)
const count = Number(process.env.MURMURATION_SEEDS ?? 16)

test.serial(`drawn runs in epochs keep what they have to, and finish: ${count} seeds from ${first}`, async (t) => {
  for (let seed = first; seed < first + count; seed++)
    t.deepEqual(await epochProblems(seed), [], `to see it again: npm run swarms -- ${seed} 1 epochs`)
})
