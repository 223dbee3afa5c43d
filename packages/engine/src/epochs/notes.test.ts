import { peerName } from '@murmuration/core'
import test from 'ava'
import fc from 'fast-check'
import type { SavedTree } from '../driver/save.js'
import type { Epoch } from './epoch.js'
import { type EpochNote, isEpochNote, noteText, readNote } from './notes.js'

const names = ['alice', 'b', 'c-3'].map(peerName)
const peers = new Set<string>(names)

const count = fc.nat()
const name = fc.constantFrom(...names)
const tree: fc.Arbitrary<SavedTree> = fc.letrec<{ tree: SavedTree; record: Record<string, SavedTree> }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.constantFrom('Infinity', '-0'),
    fc.string({ minLength: 1, maxLength: 20 }).map((text): SavedTree => [text]),
    tie('record')
  ),
  record: fc.dictionary(
    fc.string({ minLength: 1, maxLength: 10 }).filter((key) => key !== '__proto__'),
    tie('tree'),
    { maxKeys: 4, noNullPrototype: true }
  )
})).tree
const ballot = fc.tuple(count, name)
const carried = fc.option(
  tree.filter((value) => !Object.is(value, -0)),
  { nil: undefined }
)
const epoch: fc.Arbitrary<Epoch> = fc
  .record({
    number: count,
    members: fc.array(fc.record({ name, life: count, samples: count }), { minLength: 1, maxLength: 5 }),
    servers: fc.array(name),
    round: count,
    givers: fc.array(name),
    broken: fc.array(fc.tuple(name, name))
  })
  .chain((value) => carried.map((more) => (more === undefined ? value : { ...value, carried: more })))
const accepted = fc.record({ ballot, value: epoch })
const standing = fc.record({
  opened: fc.integer({ min: -1, max: 99 }),
  round: count,
  hasModel: fc.boolean(),
  samples: count
})
const note: fc.Arbitrary<EpochNote> = fc.oneof(
  fc.record({ kind: fc.constant('prepare' as const), epoch: count, ballot }),
  fc.record({ kind: fc.constant('promise' as const), epoch: count, ballot, standing }),
  fc.record({ kind: fc.constant('promise' as const), epoch: count, ballot, standing, accepted }),
  fc.record({ kind: fc.constant('accept' as const), epoch: count, ballot, value: epoch }),
  fc.record({ kind: fc.constant('accepted' as const), epoch: count, ballot, signature: fc.string({ maxLength: 88 }) }),
  fc.record({
    kind: fc.constant('decided' as const),
    decisions: fc.array(
      fc.record({ ballot, value: epoch, accepts: fc.array(fc.tuple(name, fc.string({ maxLength: 88 }))) }),
      { maxLength: 3 }
    )
  }),
  fc.record({ kind: fc.constant('latest' as const), value: epoch }),
  fc.record({ kind: fc.constant('news' as const), epoch: count }),
  fc.record({ kind: fc.constant('join' as const), epoch: fc.constant(-1), life: count, samples: count }),
  fc.record({
    kind: fc.constant('done' as const),
    epoch: count,
    part: fc.constantFrom('training' as const, 'run' as const)
  })
)

test('every note that is written is read back', (t) => {
  fc.assert(
    fc.property(note, (given) => {
      const text = noteText(given)
      t.true(isEpochNote(text))
      t.deepEqual(readNote(text, peers), JSON.parse(text.slice(1)) as EpochNote)
    }),
    { numRuns: 300 }
  )
})

test('no text makes reading fail, and what is cut or changed is no note or another one', (t) => {
  fc.assert(
    fc.property(note, fc.nat(), fc.string({ maxLength: 3 }), (given, place, change) => {
      const text = noteText(given)
      const at = place % text.length
      for (const hostile of [text.slice(0, at), text.slice(0, at) + change + text.slice(at + 1)]) {
        const read = readNote(hostile, peers)
        t.true(typeof read === 'string' || typeof read === 'object')
      }
    }),
    { numRuns: 300 }
  )
  fc.assert(fc.property(fc.string(), (text) => typeof readNote(`E${text}`, peers) === 'string'))
})

const place = { name: 'b', life: 1, samples: 1 }
const value = { number: 1, members: [place], servers: [], round: 3, givers: ['b'], broken: [] }
const standingOf = (more: object) => ({ opened: 0, round: 1, hasModel: true, samples: 1, ...more })
const latest = (changes: object) => ({ kind: 'latest', value: { ...value, ...changes } })
const promise = (changes: object) => ({ kind: 'promise', epoch: 1, ballot: [1, 'b'], standing: standingOf(changes) })
const nested = (depth: number): object => (depth === 0 ? {} : { deeper: nested(depth - 1) })
const many = <Item>(length: number, item: Item) => Array.from({ length }, () => item)

const hostile: Readonly<Record<string, unknown>> = {
  'no object': [],
  'an unknown kind': { kind: 'coup', epoch: 1 },
  'a field too many': { kind: 'news', epoch: 1, more: 1 },
  'a field too few': { kind: 'join', epoch: 1, life: 1 },
  'a fraction': { kind: 'news', epoch: 1.5 },
  'a negative number': latest({ round: -1 }),
  'NaN, which JSON writes as null': { kind: 'news', epoch: Number.NaN },
  'a number that is no longer exact': { kind: 'prepare', epoch: 1, ballot: [2 ** 53, 'b'] },
  'a text for a number': { kind: 'news', epoch: '1' },
  'a ballot of three': { kind: 'prepare', epoch: 1, ballot: [1, 'b', 'b'] },
  'no members': latest({ members: [] }),
  'too many members': latest({ members: many(513, place) }),
  'too many givers': latest({ givers: many(513, 'b') }),
  'too many broken pairs': latest({ broken: many(513, ['b', 'b']) }),
  'too many decisions': { kind: 'decided', decisions: many(65, { ballot: [1, 'b'], value, accepts: [] }) },
  'too many accepts': { kind: 'decided', decisions: [{ ballot: [1, 'b'], value, accepts: many(513, ['b', 'x']) }] },
  'a long signature': { kind: 'accepted', epoch: 1, ballot: [1, 'b'], signature: 'x'.repeat(201) },
  'a long name': latest({ givers: ['b'.repeat(65)] }),
  'a deep tree': promise({ carried: nested(12) }),
  'a wide tree': promise({ carried: Object.fromEntries(many(65, 0).map((_, index) => [`k${index}`, 0])) }),
  'a list of two in a tree': promise({ carried: ['a', 'b'] }),
  'null in a tree': promise({ carried: { a: null } }),
  'a list of numbers in a tree': promise({ carried: { a: [1] } }),
  'a long text in a tree': promise({ carried: { a: 'x'.repeat(65) } })
}
for (const [title, given] of Object.entries(hostile)) {
  test(`a note with ${title} is refused in words of at most 300 letters`, (t) => {
    const read = readNote(`E${JSON.stringify(given)}`, peers)
    t.regex(String(read), /^a malformed note about an epoch: /)
    t.true(String(read).length < 300)
  })
}

const naming: Readonly<Record<string, object>> = {
  'a member': latest({ members: [{ ...place, name: 'mallory' }] }),
  'a server': latest({ servers: ['mallory'] }),
  'a giver': latest({ givers: ['mallory'] }),
  'an end of a pair': latest({ broken: [['b', 'mallory']] }),
  'who has accepted': { kind: 'decided', decisions: [{ ballot: [1, 'b'], value, accepts: [['mallory', 'x']] }] },
  'a member of what was accepted': {
    ...promise({}),
    accepted: { ballot: [1, 'b'], value: { ...value, givers: ['mallory'] } }
  },
  'a member of what is proposed': {
    kind: 'accept',
    epoch: 1,
    ballot: [1, 'b'],
    value: { ...value, servers: ['mallory'] }
  }
}
for (const [title, given] of Object.entries(naming)) {
  test(`a note that names another than the run’s peers as ${title} is refused`, (t) => {
    t.regex(String(readNote(`E${JSON.stringify(given)}`, peers)), /"mallory", which is not in the peer list/)
  })
}

test('a tree that would change prototypes is read as data', (t) => {
  const text = `E${JSON.stringify(promise({})).replace('"opened"', '"carried":{"__proto__":{"a":1}},"opened"')}`
  const read = readNote(text, peers)
  if (typeof read === 'object' && read.kind === 'promise') t.is((read.standing.carried as { a?: number }).a, undefined)
  else t.is(typeof read, 'string')
  t.is(({} as { a?: number }).a, undefined)
})

test('other notes are told apart', (t) => {
  t.true(isEpochNote('E{"kind":"news"}'))
  for (const text of ['', 'E', '{"kind":"gossip"}', 'S{}']) t.false(isEpochNote(text), text)
})
