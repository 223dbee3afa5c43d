import { type PeerName, peerName } from '@murmuration/core'
import test from 'ava'
import fc from 'fast-check'
import { Explorer, type Model, recordFor } from './explore.test.support.js'
import { Knowledge } from './knowledge.js'
import { signedVote } from './liars.test.support.js'
import { compareStanding, type PeerRecord, type PeerStatus, type Vote } from './records.js'
import { isMajority } from './majority.js'

const names = ['a', 'b', 'c', 'd'].map(peerName)
const name = fc.constantFrom(...names)
const small = fc.integer({ min: 0, max: 2 })
const status = fc.constantFrom<PeerStatus>('joining', 'here', 'done', 'left')
const record = fc
  .record({ name, life: small, refutation: small, beat: small, status, samples: small })
  .map(({ name, ...change }) => recordFor(name, change))
const vote = fc
  .record({ voter: name, target: name, life: small, refutation: small })
  .filter(({ voter, target }) => voter !== target)
  .map(signedVote)
const items = fc.array(fc.oneof(record, vote), { maxLength: 12 })

type Item = PeerRecord | Vote

function knowing(...parts: readonly (readonly Item[])[]): Knowledge {
  const knowledge = new Knowledge(1)
  for (const item of parts.flat()) {
    if ('voter' in item) knowledge.addVote(item)
    else knowledge.addRecord(item)
  }
  return knowledge
}

/** All that one knows, for another to take in. */
const told = (knowledge: Knowledge): Item[] => [...knowledge.records, ...knowledge.votes]
const full = (knowledge: Knowledge) =>
  told(knowledge)
    .map((item) => JSON.stringify(item))
    .sort()

test('merging what two know is commutative', (t) => {
  fc.assert(fc.property(items, items, (a, b) => void t.deepEqual(full(knowing(a, b)), full(knowing(b, a)))))
})

test('merging is associative: it does not matter whether records arrive from each peer or from one that has both', (t) => {
  fc.assert(
    fc.property(items, items, items, (a, b, c) => {
      const left = knowing(told(knowing(told(knowing(a)), told(knowing(b)))), c)
      const right = knowing(a, told(knowing(told(knowing(b)), told(knowing(c)))))
      t.deepEqual(full(left), full(right))
    })
  )
})

test('merging is idempotent, and says that nothing was new', (t) => {
  fc.assert(
    fc.property(items, (a) => {
      const knowledge = knowing(a)
      const before = full(knowledge)
      for (const item of a) {
        if ('voter' in item) t.false(knowledge.addVote(item))
        else t.is(knowledge.addRecord(item), 'old')
      }
      t.deepEqual(full(knowledge), before)
    })
  )
})

const three = ['a', 'b', 'c']
const sound: Readonly<Record<string, Model>> = {
  'a crash and a false vote': { honest: three, crashes: 1, falseVotes: 1 },
  'two false votes': { honest: three, falseVotes: 2 },
  'a lie and a false vote': { honest: three, liar: 'z', lies: 1, falseVotes: 1 },
  'a lie and a crash': { honest: ['a', 'b'], liar: 'z', lies: 1, crashes: 1 },
  'two lies': { honest: ['a', 'b'], liar: 'z', lies: 2 },
  'forgeries': { honest: ['a', 'b'], liar: 'z', lies: 2, forges: true }
}

for (const [title, model] of Object.entries(sound)) {
  test(`in every schedule of ${title}: no peer is dead without an honest vote, and knowledge ends equal and true`, (t) => {
    const { states, violation } = new Explorer(model).run()
    t.is(violation, undefined)
    t.log(`${states} states`)
  })
}

class LeaversVote extends Knowledge {
  protected override hasVote(): boolean {
    return true
  }
}

class FirstCounts extends Knowledge {
  protected override compare(a: PeerRecord, b: PeerRecord): number {
    return compareStanding(a, b) || a.beat - b.beat
  }
}

const mutants: Readonly<Record<string, Model>> = {
  'one vote is enough': { honest: three, liar: 'z', lies: 1, knowledge: () => new Knowledge(0) },
  'votes are not signed': { honest: three, liar: 'z', lies: 2, forges: true, checks: false },
  'records are not signed': { honest: three, liar: 'z', lies: 1, crashes: 1, forges: true, checks: false },
  'leavers keep their vote': { honest: ['a', 'b'], liar: 'z', lies: 2, knowledge: () => new LeaversVote(1) },
  'the first of two records with equal numbers counts': {
    honest: ['a', 'b'],
    liar: 'z',
    lies: 2,
    knowledge: () => new FirstCounts(1)
  }
}

for (const [title, model] of Object.entries(mutants)) {
  test(`canary: exploring notices when ${title}`, (t) => {
    const { violation } = new Explorer(model).run()
    t.truthy(violation)
    t.log(violation)
  })
}

/** All ways to divide names into groups. */
function* divisions([first, ...rest]: readonly PeerName[]): Iterable<readonly (readonly PeerName[])[]> {
  if (first === undefined) yield []
  else {
    for (const groups of divisions(rest)) {
      yield [[first], ...groups]
      for (const index of groups.keys()) yield groups.map((group, at) => (at === index ? [first, ...group] : group))
    }
  }
}

/** In how many steps of all sequences of divisions more than one group is main. */
function doubleMains(peers: readonly PeerName[], length: number, forgets: boolean): number {
  const all = [...divisions(peers)]
  const visit = (known: ReadonlyMap<PeerName, readonly PeerName[]>, left: number): number => {
    if (left === 0) return 0
    return all.reduce((sum, groups) => {
      const after = new Map<PeerName, readonly PeerName[]>()
      let mains = 0
      for (const group of groups) {
        const members = [...new Set(group.flatMap((peer) => known.get(peer) ?? []))].sort()
        const isMain = isMajority(group.filter((peer) => members.includes(peer)).length, members.length)
        if (isMain) mains++
        for (const peer of group) after.set(peer, isMain && forgets ? group : members)
      }
      return sum + (mains > 1 ? 1 : 0) + visit(after, left - 1)
    }, 0)
  }
  return visit(new Map(peers.map((peer) => [peer, peers])), length)
}

test('while no peer is forgotten, no division of up to 6 peers leaves two mains, and no second one either', (t) => {
  for (let count = 2; count <= 6; count++) t.is(doubleMains([...'abcdef'].slice(0, count).map(peerName), 1, false), 0)
  t.is(doubleMains([...'abcde'].map(peerName), 2, false), 0)
})

test('canary: where a main forgets at once, a second division leaves two mains', (t) => {
  t.true(doubleMains([...'abcde'].map(peerName), 2, true) > 0)
})

test('of two halves, neither is main', (t) => {
  t.false(isMajority(1, 2))
  t.false(isMajority(2, 4))
  t.true(isMajority(2, 3))
})
