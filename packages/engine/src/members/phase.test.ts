import { readFileSync } from 'node:fs'
import test from 'ava'
import { type Explored, explore } from '../edges/explore.test.support.js'
import { type PhaseFacts, phase, roundWith } from './phase.js'
import { phaseModel, type PhaseModelOptions } from './phase-model.test.support.js'
import { allKnown, events, phases, phaseTable } from './phase-table.test.support.js'

function textOf({ problem }: Explored): string {
  return problem === undefined ? '' : `${problem.text}:\n${problem.steps.join('\n')}`
}

test('docs/understand/membership.md has the table of phases and events', (t) => {
  const document = readFileSync(new URL('../../../../docs/understand/membership.md', import.meta.url), 'utf8')
  const [, table = ''] = /\n\n(\| event \|[^]*?)\n\n/.exec(document) ?? []
  t.is(table, phaseTable())
  for (const each of phases) t.true(document.includes(`\`${each}\``), `${each} is explained`)
})

test('of all that a peer knows for its phase there is an event that changes it', (t) => {
  const changed = new Set(Object.values(events).flatMap(({ change }) => Object.keys(change)))
  const known = [...allKnown()].flatMap((facts) => Object.keys(facts))
  t.deepEqual([...changed].sort(), [...new Set(known)].sort())
})

test('a peer trains exactly if nothing speaks against it, and has one phase whatever it knows', (t) => {
  for (const known of allKnown()) {
    const { hasBegun, ...others } = known
    t.is(phase(known) === 'training', hasBegun && Object.values(others).every((against) => !against))
  }
})

const whole: readonly [string, PhaseModelOptions, number][] = [
  ['2 peers, every fault', { peers: 2, rounds: 3, crashes: 1, restarts: 1, cuts: 1, debts: 1 }, 10_000],
  ['3 peers, a crash, a restart', { peers: 3, rounds: 3, crashes: 1, restarts: 1 }, 8000],
  ['3 peers, a crash, a cut', { peers: 3, rounds: 3, crashes: 1, cuts: 1 }, 25_000]
]
for (const [title, options, least] of whole) {
  test(`only one group trains, rounds never go back, and every wait has an end and a reason: ${title}`, (t) => {
    const found = explore(phaseModel(options), true)
    t.log(`${found.states} states`)
    t.is(textOf(found), '')
    t.true(found.states > least)
  })
}

const without = (facts: Partial<PhaseFacts>) => (known: PhaseFacts) => phase({ ...known, ...facts })

const mutants: readonly [string, Partial<PhaseModelOptions>, RegExp][] = [
  [
    'pauses',
    { peers: 2, cuts: 1, phaseOf: without({ isPaused: false }) },
    /train, and do not reach|its group may not go on/
  ],
  ['joining', { crashes: 1, restarts: 1, phaseOf: without({ needsModel: false }) }, /gives up, though/],
  ['waiting for a neighbour', { debts: 1, phaseOf: without({ isAlone: false }) }, /trains alone/],
  ['an end', { phaseOf: without({ hasFinished: false }) }, /trains on after the last round/],
  ['rounds that never go back', { cuts: 1, crashes: 1, restarts: 1, roundOf: (own) => own - 1 }, /goes back/]
]
for (const [rule, options, problem] of mutants) {
  test(`phases without ${rule} are found out`, (t) => {
    t.regex(textOf(explore(phaseModel({ peers: 3, rounds: 3, ...options }), true)), problem)
  })
}

test('a peer continues with a model of a later round, and never in an earlier one than its own', (t) => {
  for (let own = 0; own < 6; own++)
    for (let taken = 0; taken < 6; taken++) {
      t.is(roundWith(own, taken, false), taken + 2 > own ? taken + 2 : undefined)
      t.is(roundWith(own, taken, true), Math.max(own, taken + 2))
    }
})
