import test from 'ava'
import { checkFits, pack, type Saved, unpack } from './save.js'
import { Arena } from '../vectors/vector.js'

const arena = () => new Arena({ allocate: (length: number) => new Float32Array(length), free: () => {} })

test('a state comes back bit by bit, by way of JSON', (t) => {
  const here = arena()
  const state = {
    'x': here.adopt(Float32Array.of(0.1, -0, 1e-45)),
    'k': 0.1,
    'none': {},
    'inbox': { a: { w: Number.EPSILON }, b: { w: -0 } },
    'best': Infinity,
    'a/b': { c: here.adopt(Float32Array.of(1)) },
    'a': { 'b/c': here.adopt(Float32Array.of(2)) }
  }
  const { tree, vectors } = pack(state)
  t.deepEqual([...vectors.keys()], ['x', 'a~1b/c', 'a/b~1c'])
  const back = unpack({ tree: JSON.parse(JSON.stringify(tree)), vectors }, arena(), 3) as unknown as typeof state
  t.deepEqual(Object.keys(back), Object.keys(state))
  t.deepEqual(back.x.values, state.x.values)
  t.deepEqual([back['a/b'].c.values[0], back.a['b/c'].values[0]], [1, 2])
  t.deepEqual([back.k, back.inbox.a.w, back.best], [0.1, Number.EPSILON, Infinity])
  t.true(Object.is(back.inbox.b.w, -0))
})

test('a name without a value is not saved', (t) => {
  t.deepEqual(pack({ k: 1, seen: { a: undefined, b: 2 } }).tree, { k: 1, seen: { b: 2 } })
})

test('NaN is no state', (t) => {
  t.throws(() => pack({ k: Number.NaN }), { message: /k is NaN/ })
})

const one = new Map([['x', Float32Array.of(1)]])
const deep = JSON.parse(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`) as Saved['tree']
const wrong: readonly (readonly [string, Saved, RegExp])[] = [
  ['a vector that is not there', { tree: { x: ['y'] }, vectors: one }, /the state\/x: found no vector/],
  ['a vector twice', { tree: { x: ['x'], y: ['x'] }, vectors: one }, /the state\/y: found no vector/],
  ['a vector that nobody uses', { tree: {}, vectors: one }, /does not use x/],
  ['NaN', { tree: { x: ['x'] }, vectors: new Map([['x', Float32Array.of(NaN)]]) }, /NaN or infinite/],
  [
    'a vector that is too long',
    { tree: { x: ['x'] }, vectors: new Map([['x', new Float32Array(5)]]) },
    /found 5 numbers/
  ],
  ['null', { tree: { x: null as never }, vectors: new Map() }, /the state\/x: found object/],
  ['a text', { tree: { x: 'NaN' }, vectors: new Map() }, /the state\/x: found string/],
  ['a state that nests without end', { tree: deep, vectors: new Map() }, /found object/],
  ['a number in place of a state', { tree: 3, vectors: new Map() }, /found no record/]
]

for (const [what, saved, message] of wrong) {
  test(`what was saved with ${what} is refused`, (t) => {
    t.throws(() => unpack(saved, arena(), 4), { name: 'InputError', message })
  })
}

test('a state fits when it has all that is expected, of the same kinds and lengths', (t) => {
  const x = arena().adopt(Float32Array.of(1, 2))
  t.notThrows(() => checkFits({ x, k: 1, inbox: { a: 1 } }, { x, k: 0, inbox: {} }))
  t.throws(() => checkFits({ x }, { x, k: 0 }), { message: /the state\/k: found nothing, expected a number/ })
  t.throws(() => checkFits({ x: 1 }, { x }), { message: /the state\/x: found a number, expected a vector of 2/ })
  t.throws(() => checkFits({ m: { x } }, { m: { x: arena().adopt(Float32Array.of(1)) } }), {
    message: /m\/x: found a vector of 2/
  })
})
