import { type PeerName, peerName } from '@murmuration/core'
import type { BrokenPair } from '@murmuration/membership'
import test from 'ava'
import { defaultRules, epochOfAll } from './agreement-swarm.test.support.js'
import type { Epoch, MemberPlace, MemberStanding } from './epoch.js'
import { changesOf, type EpochRules, nextEpoch, stagesWithoutModel } from './next-epoch.js'

const named = (names: string) => [...names].map(peerName)
const textOf = (names: readonly PeerName[]) => names.join('')
const pair = (names: string) => named(names) as unknown as BrokenPair

/** What has promised: a letter for the peer and its round, such as `a7`; `-` for no model. */
function standingsOf(
  text: string,
  changes: Readonly<Record<string, Partial<MemberStanding>>> = {}
): Map<PeerName, MemberStanding> {
  return new Map(
    text.split(' ').map((part) => {
      const standing = { opened: 0, round: Number(part.slice(1)) || 0, hasModel: !part.includes('-'), samples: 1 }
      return [peerName(part[0]), { ...standing, ...changes[part[0]] }]
    })
  )
}

interface Case {
  readonly rules?: Partial<EpochRules>
  readonly last?: Epoch
  readonly joining?: readonly MemberPlace[]
  readonly broken?: readonly BrokenPair[]
  readonly changes?: Readonly<Record<string, Partial<MemberStanding>>>
}

function next(
  promised: string,
  { rules, last = epochOfAll(named('abcd')), joining = [], broken = [], changes }: Case = {}
) {
  return nextEpoch({ ...defaultRules, ...rules }, { last, standings: standingsOf(promised, changes), joining, broken })
}

const place = (name: string, life: number): MemberPlace => ({ name: peerName(name), life, samples: 5 })
const membersOf = ({ members }: Epoch) => members.map(({ name, life }) => `${name}${life}`).join(' ')

test('who has promised stays, and who joins is in, in the order of names', (t) => {
  t.is(membersOf(next('c7 a7 b7')), 'a1 b1 c1')
  t.is(membersOf(next('d7 b7 c7', { joining: [place('e', 3), place('a', 2)] })), 'a2 b1 c1 d1 e3')
  t.is(membersOf(next('a7 b7 c7', { joining: [place('c', 2)] })), 'a1 b1 c1', 'a promise counts more than an ask')
  t.is(next('a7 b7 c7').number, 1)
})

test('where models are equal the newest round gives, and otherwise all rounds', (t) => {
  const equal = next('a7 b8 c8')
  t.is(textOf(equal.givers), 'bc')
  t.is(equal.round, 8)
  const different = next('a7 b8 c8', { rules: { isEqual: false } })
  t.is(textOf(different.givers), 'abc')
  t.is(different.round, 8)
})

test('where each counts its own rounds, an epoch begins in the lower middle one', (t) => {
  const own = { isEqual: false, hasOwnPace: true }
  t.is(next('a2 b9 c5', { rules: own }).round, 5)
  t.is(next('a2 b9 c5 d6', { rules: own }).round, 5)
  t.is(next('a9 b9 c2 d2', { rules: own }).round, 2)
  t.is(textOf(next('a2 b9 c5', { rules: own }).givers), 'abc')
})

test('only who opened the newest epoch gives: no model counts twice', (t) => {
  const epoch = next('a7 b9 c9', { changes: { a: { opened: 3 }, b: { opened: 2 }, c: { opened: 2 } } })
  t.is(textOf(epoch.givers), 'a')
  t.is(epoch.round, 7)
})

test('who joins or has no model gives none', (t) => {
  t.is(textOf(next('a- b7 c7', { joining: [place('e', 1)] }).givers), 'bc')
  t.deepEqual(next('a- b- c-').givers, [])
})

test('of a broken pair the later name goes where all exchange, and both stay elsewhere', (t) => {
  const broken = [pair('bc')]
  const everyone = next('a7 b7 c7 d7', { broken })
  t.is(membersOf(everyone), 'a1 b1 d1')
  t.deepEqual(everyone.broken, [])
  const gossip = next('a7 b7 c7 d7', { broken, rules: { needsEveryPair: false } })
  t.is(membersOf(gossip), 'a1 b1 c1 d1')
  t.deepEqual(gossip.broken, broken)
  t.is(membersOf(next('a7 b7 c7 d7', { broken: [pair('cb')] })), 'a1 b1 d1', 'in either order')
})

test('a planned server stays rather than a worker that cannot exchange with it', (t) => {
  const rules = { servers: named('d') }
  const last = epochOfAll(named('abcd'), { servers: named('d') })
  t.is(membersOf(next('a7 b7 c7 d-', { broken: [pair('ad')], rules, last })), 'b1 c1 d1')
})

test('one that goes takes all its broken pairs with it, and none goes where no quorum is left', (t) => {
  t.is(membersOf(next('a7 b7 c7 d7', { broken: [pair('ad'), pair('bd'), pair('cd')] })), 'a1 b1 c1')
  const none = next('a7 b7 c7', { broken: [pair('ab'), pair('ac')] })
  t.is(membersOf(none), 'a1 b1 c1')
  t.is(none.broken.length, 2)
})

test('who cannot exchange with a member does not join where all exchange', (t) => {
  const joining = [place('e', 1)]
  t.is(membersOf(next('a7 b7 c7', { joining, broken: [pair('ae')] })), 'a1 b1 c1')
  t.is(membersOf(next('a7 b7 c7', { joining, broken: [pair('de')] })), 'a1 b1 c1 e1', 'd is gone')
  t.is(membersOf(next('a7 b7 c7', { joining, broken: [pair('ae')], rules: { needsEveryPair: false } })), 'a1 b1 c1 e1')
})

test('servers are the run’s own, then those that serve, then the last names, and one worker is left', (t) => {
  const servers = (promised: string, planned: string, now: string, joining: readonly MemberPlace[] = []) => {
    const last = epochOfAll(named('abcdst'), { servers: named(now) })
    return textOf(next(promised, { rules: { servers: named(planned), neededServers: 1 }, last, joining }).servers)
  }
  t.is(servers('a7 b7 s7', 's', 's'), 's')
  t.is(servers('a7 b7 c7', 's', 's'), 'c', 'the last name takes the role')
  t.is(servers('a7 b7 c7', 's', 'b'), 'b', 'who has it keeps it')
  t.is(servers('a7 b7 c7', 's', 'b', [place('s', 2)]), 's', 'the run’s own gets it back')
  t.is(servers('a7 b7 c7', 'st', 'st'), 'c', 'as many as the algorithm needs')
  t.is(servers('a7 b7 t7', 'st', 'st'), 't')
  t.is(servers('a7 b7', 'st', 'st'), 'b', 'one worker is left')
  t.is(servers('a7', 's', 's'), '')
  t.is(servers('s7 t7', 'st', 'st'), 'st', 'a server is never a worker')
})

test('a member has as many samples as it says now', (t) => {
  const { members } = next('a7 b7 c7', { changes: { a: { samples: 5 } } })
  t.is(members.find(({ name }) => name === 'a')?.samples, 5)
})

test('what all givers carry in one shape is carried over', (t) => {
  const carried = (...trees: (MemberStanding['carried'] | undefined)[]) => {
    const changes = Object.fromEntries(trees.map((tree, index) => ['abcd'[index], { carried: tree }]))
    return next('a7 b7 c7', { changes }).carried
  }
  const tree = (steps: number) => ({ u: ['u'] as const, steps, infinite: 'Infinity' })
  t.deepEqual(carried(tree(1), tree(2), tree(3)), tree(1), 'numbers are the first giver’s')
  t.is(carried(tree(1), tree(2), undefined), undefined)
  t.is(carried(undefined, tree(1), tree(2)), undefined)
  t.is(carried(tree(1), { u: ['v'], steps: 1, infinite: 'Infinity' }, tree(1)), undefined)
  t.is(carried(tree(1), { u: ['u'], steps: { a: 1 }, infinite: 'Infinity' }, tree(1)), undefined)
  const behind = next('a7 b8 c8', { changes: { b: { carried: tree(1) }, c: { carried: tree(2) } } })
  t.deepEqual(behind.carried, tree(1), 'who gives no model has no say')
})

test('changes are places: a new life is lost and joined', (t) => {
  const last = epochOfAll(named('abc'))
  const after = next('a7 b7', { last, joining: [place('c', 2), place('e', 1)] })
  t.deepEqual(changesOf(last, after), { lost: named('c'), joined: named('ce') })
})

test('where the model is cut, each stage gives its newest models, and all begin in the last round of any', (t) => {
  const lines = [named('ab'), named('cd')]
  const epoch = next('a7 b8 c6 d7', { rules: { lines } })
  t.is(textOf(epoch.givers), 'ab')
  t.is(epoch.round, 8)
  const opened = next('a7 b8 c6 d7', { rules: { lines }, changes: { c: { opened: 1 } } })
  t.is(textOf(opened.givers), 'bc')
  t.deepEqual(stagesWithoutModel({ lines }, next('a7 c7 d-', { rules: { lines } })), [1])
  t.deepEqual(stagesWithoutModel({}, next('a- b-')), [0])
})

test('of a pair that cannot exchange none is left out where a stage would have nobody', (t) => {
  const lines = [named('ab'), named('cd')]
  t.is(membersOf(next('a7 b7 c7 d7', { rules: { lines, needsEveryPair: true }, broken: [pair('bc')] })), 'a1 b1 d1')
  t.is(membersOf(next('a7 b7 c7', { rules: { lines, needsEveryPair: true }, broken: [pair('ab')] })), 'a1 b1 c1')
})
