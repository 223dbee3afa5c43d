import { type PeerName, peerName } from '@murmuration/core'
import test from 'ava'
import { epochOfAll } from './agreement-swarm.test.support.js'
import { acceptText, type Epoch, epochProblem, isBefore, isMember, isQuorum } from './epoch.js'

const peersOf = (count: number) => [...'abcdefg'].slice(0, count).map(peerName)
const subsetsOf = (names: readonly PeerName[]) =>
  Array.from({ length: 2 ** names.length }, (_, bits) => new Set(names.filter((_name, index) => (bits >> index) & 1)))

test('any two quorums have a member in common, and one of two parts is a quorum, for 1 to 7 members', (t) => {
  for (let count = 1; count <= 7; count++) {
    const epoch = epochOfAll(peersOf(count))
    const all = subsetsOf(peersOf(count))
    const quorums = all.filter((names) => isQuorum(epoch, names))
    for (const left of quorums)
      for (const right of quorums)
        t.true(
          [...left].some((name) => right.has(name)),
          `${[...left]} and ${[...right]}`
        )
    for (const names of all) {
      const others = new Set(peersOf(count).filter((name) => !names.has(name)))
      t.not(isQuorum(epoch, names), isQuorum(epoch, others), `${[...names]} of ${count}`)
    }
  }
})

test('who is no member counts for no quorum', (t) => {
  const epoch = epochOfAll(peersOf(3))
  t.false(isQuorum(epoch, new Set(['a', 'x', 'y', 'z'].map(peerName))))
  t.false(isQuorum({ ...epoch, members: [] }, new Set(peersOf(3))))
})

test('ballots are in the order of numbers, and then of names', (t) => {
  const ordered = [
    [0, ''],
    [1, 'a'],
    [1, 'b'],
    [2, 'a'],
    [10, 'a']
  ] as const
  for (const [i, left] of ordered.entries())
    for (const [j, right] of ordered.entries()) t.is(isBefore(left, right), i < j, `${left} before ${right}`)
})

const last = epochOfAll(peersOf(4))
const next: Epoch = { ...last, number: 1, round: 7, givers: peersOf(4) }
const membersOf = (names: string, life = 1) => [...names].map((name) => ({ name: peerName(name), life, samples: 1 }))

test('an epoch follows if its members contain a quorum of the last one in their lives', (t) => {
  const problemOf = (changes: Partial<Epoch>) => epochProblem(last, { ...next, ...changes })
  const [a, b, c, d] = peersOf(4)
  t.is(problemOf({}), undefined)
  t.is(problemOf({ members: membersOf('ab'), givers: [a] }), undefined, 'the half with the first name')
  t.is(problemOf({ members: [...membersOf('abc'), ...membersOf('d', 2)], givers: [a, b, c] }), undefined)
  t.regex(problemOf({ members: membersOf('cd'), givers: [c] }) ?? '', /without a quorum/)
  t.regex(problemOf({ members: membersOf('abcd', 2), givers: [a] }) ?? '', /without a quorum/)
  t.regex(problemOf({ number: 2 }) ?? '', /epoch 2 after 0/)
  t.regex(problemOf({ members: membersOf('acbd') }) ?? '', /not in order/)
  t.regex(problemOf({ members: membersOf('aabcd') }) ?? '', /not in order/)
  t.regex(problemOf({ givers: [b, a] }) ?? '', /not in order/)
  t.regex(problemOf({ givers: [a, a] }) ?? '', /not in order/)
  t.regex(problemOf({ servers: [d, d] }) ?? '', /not in order/)
  t.regex(problemOf({ servers: [peerName('x')] }) ?? '', /x as a server/)
  t.regex(problemOf({ broken: [[a, peerName('x')]] }) ?? '', /x as a server or an end/)
  t.regex(problemOf({ givers: [] }) ?? '', /nobody’s model/)
  t.regex(problemOf({ members: [...membersOf('abc'), ...membersOf('d', 2)] }) ?? '', /the model of d/)
  t.regex(problemOf({ round: -1 }) ?? '', /round -1/)
})

test('a signature is for one ballot and every part of a value', (t) => {
  const changes: Partial<Epoch>[] = [
    { number: 2 },
    { members: membersOf('abc') },
    { members: membersOf('abcd', 2) },
    { servers: [peerName('a')] },
    { round: 8 },
    { givers: [peerName('a')] },
    { broken: [[peerName('a'), peerName('b')]] },
    { carried: { u: ['u'] } }
  ]
  const texts = changes.map((change) => acceptText([1, 'a'], { ...next, ...change }))
  t.is(new Set([...texts, acceptText([1, 'a'], next), acceptText([2, 'a'], next)]).size, changes.length + 2)
})

test('a member is a name in one life', (t) => {
  const [a] = peersOf(1)
  t.true(isMember(last, a))
  t.true(isMember(last, a, 1))
  t.false(isMember(last, a, 2))
})
