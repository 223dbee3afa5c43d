/**
 * Random swarms with faults and churn keep the invariants of docs/understand/membership.md, and a mutant of each rule
 * is noticed.
 */
import { addFlow, Members, type Message } from '@murmuration/algorithms'
import type { Milliseconds, Mixing } from '@murmuration/core'
import { type SwarmView, trustingSigner } from '@murmuration/membership'
import test from 'ava'
import { type Mutation, problemsWith } from './try-swarm.js'

const first = Number(process.env.MURMURATION_SEED ?? 1)
const count = Number(process.env.MURMURATION_SEEDS ?? 4)

test.serial(`drawn swarms keep what they have to, and agree: ${count} seeds from ${first}`, async (t) => {
  for (let seed = first; seed < first + count; seed++)
    t.deepEqual(await problemsWith(seed), [], `to see it again: npm run swarms -- ${seed} 1`)
})

/**
 * With 93494, a peer that came in the middle of a period waited for messages that were not sent to it, fell behind, and
 * joined again, until the end.
 */
test.serial('so do swarms whose exchanges are in flight for some rounds: 2 seeds, and 93494', async (t) => {
  for (const seed of [first, first + 1, 93_494]) {
    const again = `npm run swarms -- ${seed} 1 overlapping`
    t.deepEqual(await problemsWith(seed, { exchanges: 'overlapping' }), [], `to see it again: ${again}`)
  }
})

/**
 * With 250, what a peer sent in final averaging was refused by those that had not ended training. With 258, a process
 * that was started again was not told of the decision, since its earlier one had known it.
 */
test.serial('so do swarms that agree to end training among the faults: 2 seeds, 250 and 258', async (t) => {
  for (const seed of [first, first + 1, 250, 258])
    t.deepEqual(await problemsWith(seed, { exchanges: 'stopping' }), [], `npm run swarms -- ${seed} 1 stopping`)
})

/** Swarms that revealed a bug which no other test here shows. */
const found: Readonly<Record<number, string>> = {
  453: 'a request that came in the final averaging of AD-PSGD had the averaged model released',
  466: 'a peer that was alone in its rows took no message in, and gave its state to nobody',
  1017: 'a peer of SGP sent its mass to others that sent it none',
  1224: 'two peers waited for each other to use an edge that owed',
  1425: 'two groups in other rounds had nothing to exchange, and went on apart',
  1606: 'a peer that has answered was not waited for, and both went on alone in turn',
  3123: 'three peers that had all waited for one another kept each other out, and went on alone',
  70268: 'the end of a chain kept its only neighbour out of its rows, and stood still for 35 s',
  3201: 'a state was not believed, since others that had just been started again said that they were in round 0'
}

for (const [seed, what] of Object.entries(found))
  test.serial(`seed ${seed}: ${what}`, async (t) => {
    t.deepEqual(await problemsWith(Number(seed)), [])
  })

/** Waits for dead peers too, and for longer than allowed. */
class Patient extends Members {
  override isGone(): boolean {
    return false
  }
  override awake(now: Milliseconds): Milliseconds {
    return super.awake(now) / 20
  }
}

/** Offers more than there is. */
class Generous extends Members {
  override row(round: number): Mixing {
    const row = super.row(round)
    const more = (peers: Mixing['sendTo']) => peers.map(({ name, weight }) => ({ name, weight: 1.6 * weight }))
    const { selfWeight, receiveFrom, sendTo } = row
    return { ...row, selfWeight: 1 - 1.6 * (1 - selfWeight), receiveFrom: more(receiveFrom), sendTo: more(sendTo) }
  }
}

/** Considers itself in the majority, whichever peers are present. */
class Sure extends Members {
  override get knowledge(): SwarmView {
    return Object.create(super.knowledge, { isMain: { value: true } }) as SwarmView
  }
}

type Canary = readonly [number, RegExp, Mutation]

const canaries: Readonly<Record<string, Canary>> = {
  'a late message is not used': [
    20,
    /does not owe it/,
    { algorithmOf: (algorithm) => ({ ...algorithm, edges: { model: 'dropped' } }) }
  ],
  'a late message is used twice': [
    20,
    /other values after round/,
    {
      algorithmOf: (algorithm) => ({
        ...algorithm,
        edges: { model: (state, flow) => addFlow(addFlow(state, flow), flow) }
      })
    }
  ],
  'a row offers more than there is': [
    6,
    /has a weight of -0.2\d* for its own/,
    { membersOf: (...given) => new Generous(...given) }
  ],
  'a peer of AD-PSGD that is asked does not move': [
    190,
    /the sum over the peers is off/,
    {
      algorithmOf: (algorithm) => ({
        ...algorithm,
        answers: { swap: (_node, state) => ({ state, reply: { x: state.x } as Message }) }
      })
    }
  ],
  'mass of SGP that is late is dropped': [
    40,
    /the weights of 5 peers sum to/,
    { algorithmOf: (algorithm) => ({ ...algorithm, edges: { mass: 'dropped' } }) }
  ],
  'votes count that no peer has given': [
    10,
    /a vote of .* that it has not given/,
    { membersOf: (fabric, options) => new Members(fabric, { ...options, signer: trustingSigner }) }
  ],
  'a minority takes itself for the majority': [
    125,
    /two groups are main/,
    { membersOf: (...given) => new Sure(...given) }
  ],
  'the dead are waited for': [47, /ms in a round/, { membersOf: (...given) => new Patient(...given) }]
}

for (const [what, [seed, finding, mutation]] of Object.entries(canaries)) {
  test.serial(`canary: it is noticed when ${what}`, async (t) => {
    t.regex((await problemsWith(seed, mutation)).join('\n'), finding)
  })
}
