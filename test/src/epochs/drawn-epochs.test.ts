/** Random runs in epochs with faults and churn keep the invariants of epoch-watch.ts. */
import test from 'ava'
import { epochProblems } from './try-epochs.js'

const first = Number(process.env.MURMURATION_SEED ?? 1)
const count = Number(process.env.MURMURATION_SEEDS ?? 12)

test.serial(`drawn runs in epochs keep what they have to, and finish: ${count} seeds from ${first}`, async (t) => {
  for (let seed = first; seed < first + count; seed++)
    t.deepEqual(await epochProblems(seed), [], `to see it again: npm run swarms -- ${seed} 1 epochs`)
})

test.serial('so do runs whose members agree to end training among the faults: 4 seeds', async (t) => {
  for (let seed = first; seed < first + 4; seed++)
    t.deepEqual(await epochProblems(seed, { isStopping: true }), [], `npm run swarms -- ${seed} 1 stopping-epochs`)
})

/** Runs that revealed a bug, or that reveals a mutant of the agreement. */
const found: Readonly<Record<number, string>> = {
  300176: 'a peer whose last note was lost made others stop that had finished, and all ended as if they had not',
  300092: 'the rows of W of three survivors of a push-sum did not sum to 1, and final averaging failed',
  300227: 'a minority passed the rounds without training, and finished with another model',
  300308: 'a peer that came while epoch 0 ran wanted a model of givers, of which that epoch has none',
  910732: 'a server counted periods from the beginning of the epoch, and its workers from that of the run',
  702833: 'the round fell after the mean with which an epoch closes',
  922279: 'averaging that began within a period of a base graph left the models apart',
  923083: 'after closing with the mean all ended at once, though one was still to be asked for the next epoch',
  700102: 'reveals that models of an earlier epoch count'
}

for (const [seed, what] of Object.entries(found))
  test.serial(`seed ${seed} of epochs: ${what}`, async (t) => {
    t.deepEqual(await epochProblems(Number(seed)), [])
  })
