/** Drawn swarms with faults and churn keep the invariants of docs/membership.md, and a mutant of each rule is noticed. */
import { addFlow, Members } from '@murmuration/algorithms'
import type { Milliseconds } from '@murmuration/core'
import { trustingSigner } from '@murmuration/membership'
import test from 'ava'
import { type Mutation, wrongWith } from './try-swarm.js'

const first = Number(process.env.MURMURATION_SEED ?? 1)
const count = Number(process.env.MURMURATION_SEEDS ?? 3)

test(`drawn swarms keep what they have to, and agree: ${count} seeds from ${first}`, async (t) => {
  for (let seed = first; seed < first + count; seed++)
    t.deepEqual(await wrongWith(seed), [], `to see it again: npm run swarms -- ${seed} 1`)
})

/** Waits for whoever is dead, and for longer than anybody may. */
class Patient extends Members {
  override isGone(): boolean {
    return false
  }
  override awake(now: Milliseconds): Milliseconds {
    return super.awake(now) / 20
  }
}

const canaries: Readonly<Record<string, readonly [number, RegExp, Mutation]>> = {
  'what comes late is not used': [
    40,
    /does not owe it/,
    { algorithmOf: (algorithm) => ({ ...algorithm, edges: { model: 'dropped' } }) }
  ],
  'what comes late is used twice': [
    40,
    /other values after round/,
    {
      algorithmOf: (algorithm) => ({
        ...algorithm,
        edges: { model: (state, flow) => addFlow(addFlow(state, flow), flow) }
      })
    }
  ],
  'votes count that nobody has given': [
    10,
    /a vote of .* that it has not given/,
    { membersOf: (fabric, options) => new Members(fabric, { ...options, signer: trustingSigner }) }
  ],
  'the dead are waited for': [47, /ms in a round/, { membersOf: (...given) => new Patient(...given) }]
}

for (const [what, [seed, finding, mutation]] of Object.entries(canaries)) {
  test(`canary: it is noticed when ${what}`, async (t) => {
    t.regex((await wrongWith(seed, mutation)).join('\n'), finding)
  })
}
