/** One liar among six, with each kind of lie, in virtual time: what it costs the others in two minutes. */
import { type Milliseconds, peerName } from '@murmuration/core'
import { consensusDistance } from '@murmuration/vectors'
import test from 'ava'
import { liesFor } from './liars/lies.js'
import { honest, liar, type LyingSwarm, roundsBy, simulated } from './liars/lying-swarm.js'

const twoMinutes: Milliseconds = 120_000
const swarm: LyingSwarm = { graph: 'ring', timeout: 30_000, rounds: 125, gradient: 1000 }

/** When `b` is restarted: it takes a state each time. The others are measured. */
const restarts = Array.from({ length: 12 }, (_, place) => 20_000 + 8000 * place)
const restarted = peerName('b')
const others = honest.filter((name) => name !== restarted)

/** The lies that cost something; MURMURATION_LIES=. selects all. */
const told = new RegExp(process.env.MURMURATION_LIES ?? 'vector|SKIP|silent for|not a number')

/** With this seed the liar is asked for its state. */
const asked = 2

/** Without lies: the liar is honest. */
const quiet = simulated(swarm)
const quietWithRestarts = simulated({ ...swarm, seed: asked }, restarts)

for (const [what, lie] of Object.entries(liesFor(swarm.timeout)).filter(([what]) => told.test(what))) {
  test.serial(
    `a peer that ${what} gets no peer expelled, and delays at most a quarter of the rounds of two minutes`,
    async (t) => {
      const isOfState = what.startsWith('gives a state')
      const [measured, undisturbed] = isOfState ? [others, await quietWithRestarts] : [honest, await quiet]
      const outcome = isOfState
        ? await simulated({ ...swarm, seed: asked, lie }, restarts)
        : await simulated({ ...swarm, lie })
      t.true(outcome.lies > 0)
      t.deepEqual([...outcome.lost.values()], [])
      t.deepEqual(
        [...outcome.dead].filter((name) => name !== liar && !(isOfState && name === restarted)),
        []
      )
      const [rounds, all] = [outcome, undisturbed].map((each) => roundsBy(each, twoMinutes, measured))
      t.log(`${rounds} of ${all} rounds`)
      t.true(rounds >= 0.75 * all, `${rounds} of ${all} rounds`)
      // No peer is led to a round in which no other peer is, or to the end.
      t.true(outcome.lead < 50, `${outcome.lead} rounds`)
      // A peer that repeatedly has a new life is left out of averages.
      const apart = consensusDistance([...outcome.models.values()])
      if (!isOfState) t.true(apart < 1e-2, `${apart}`)
    }
  )
}
