import { InputError, peerName } from '@murmuration/core'
import test from 'ava'
import type { Saved, SavedTree } from '../driver/save.js'
import { epochOfAll } from './agreement-swarm.test.support.js'
import { epochOf, savedEpoch } from './saved-epoch.js'

const names = ['a', 'b', 's'].map(peerName)
const [a, b, s] = names
const session: Saved = { tree: { x: ['x'] }, vectors: new Map([['x', Float32Array.of(1, 2)]]) }
const epoch = epochOfAll(names, { number: 3, round: 61, servers: [s], givers: [a], broken: [[a, b]] })

test('an epoch is saved with its session, without lives and broken pairs', (t) => {
  const later = { ...epoch, members: epoch.members.map((place) => ({ ...place, life: 4 })) }
  const saved = savedEpoch(later, session)
  t.deepEqual(epochOf({ ...saved, tree: JSON.parse(JSON.stringify(saved.tree)) as SavedTree }), {
    epoch: { ...epoch, givers: [], broken: [] },
    session
  })
})

test('a state that is not of a run in epochs is refused, with its place', (t) => {
  const { tree } = savedEpoch(epoch, session)
  const whole = tree as { readonly epoch: { readonly [name: string]: SavedTree } }
  const changed = (changes: object) => ({ ...whole, epoch: { ...whole.epoch, ...changes } }) as SavedTree
  const wrong: readonly (readonly [SavedTree, RegExp])[] = [
    ['x', /^the state: found string/],
    [['x'], /^the state: found object/],
    [{ training: { x: ['x'] } }, /^the state: found no session/],
    [{ session: 1 }, /^the state\/epoch: found undefined/],
    [changed({ number: -1 }), /^the state\/epoch\/number: found -1, expected a whole number/],
    [changed({ round: 1.5 }), /^the state\/epoch\/round: found 1.5/],
    [changed({ round: 'Infinity' }), /^the state\/epoch\/round: found "Infinity"/],
    [changed({ members: 3 }), /^the state\/epoch\/members: found number/],
    [changed({ members: { a: 'many' } }), /^the state\/epoch\/a: found "many"/],
    [changed({ servers: ['s'] }), /^the state\/epoch\/servers: found object/]
  ]
  for (const [each, message] of wrong)
    t.throws(() => epochOf({ tree: each, vectors: new Map() }), { instanceOf: InputError, message })
})
