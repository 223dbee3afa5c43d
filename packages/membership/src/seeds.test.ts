import test from 'ava'
import { trialOf, problemsIn } from './seeds.test.support.js'

const count = Number(process.env.MURMURATION_SEEDS ?? 40)
const first = Number(process.env.MURMURATION_SEED ?? 1)

test('after faults have healed, all are in, no living peer is dead for another, and all know the same', (t) => {
  for (let seed = first; seed < first + (process.env.MURMURATION_SEED === undefined ? count : 1); seed++) {
    const trial = trialOf(seed)
    const wrong = problemsIn(trial)
    if (wrong.length === 0) continue
    const replay = `MURMURATION_SEED=${seed} npx ava packages/membership/dist/seeds.test.js`
    t.fail(`seed ${seed}: ${wrong.slice(0, 4).join('; ')}\n  ${trial.story.join(', ')}\n  again: ${replay}`)
  }
  t.pass()
})
