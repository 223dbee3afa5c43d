import { type PeerName, peerName } from '@murmuration/core'
import type { BrokenPair } from '@murmuration/membership'
import test from 'ava'
import { perPeer, type Route } from '../record/record.js'
import { Arena, type Vector } from '../vectors/vector.js'
import { epochOfAll } from './agreement-swarm.test.support.js'
import { openingOf } from './opening.js'

type Parts = { readonly part: Vector }
type Channel = 'gather' | 'means'

interface Case {
  readonly members: string
  readonly givers: string
  readonly broken?: readonly BrokenPair[]
  readonly areEqual?: boolean
  readonly models: Readonly<Record<string, Float32Array>>
  /** Vectors beside the model. */
  readonly vectors?: Readonly<Record<string, readonly Float32Array[]>>
}

const named = (names: string) => [...names].map(peerName)

/** Channels that deliver at once, and what was sent on them: channel, sender, receiver, length. */
class Network {
  readonly sent: string[] = []
  readonly #parts = new Map<string, Vector>()
  readonly #waiting = new Map<string, (part: Vector) => void>()

  channel(self: PeerName, name: Channel) {
    const key = (from: PeerName, to: PeerName, { round, part }: Route) => `${name} ${from} ${to} ${round} ${part}`
    return {
      send: (route: Route, { part }: Parts) => {
        for (const to of route.to) {
          this.sent.push(`${name} ${self}→${to} ${part.length}`)
          this.#waiting.get(key(self, to, route))?.(part)
          this.#parts.set(key(self, to, route), part)
        }
      },
      collect: async (route: Route) => {
        const all = perPeer<Parts>()
        for (const from of route.from) all[from] = { part: await this.#part(key(from, self, route)) }
        return all
      }
    }
  }

  #part(key: string): Promise<Vector> | Vector {
    return this.#parts.get(key) ?? new Promise((resolve) => this.#waiting.set(key, resolve))
  }
}

/** Opens an epoch. Returns what each member has then. */
async function opened({ members, givers, broken = [], areEqual = false, models, vectors = {} }: Case) {
  const names = named(members)
  const epoch = epochOfAll(names, { givers: named(givers), broken })
  const network = new Network()
  const results = new Map<PeerName, { readonly x: Float32Array; readonly means: readonly Float32Array[] }>()
  const length = Object.values(models)[0].length
  await Promise.all(
    names.map(async (self) => {
      const arena = new Arena({ allocate: (count) => new Float32Array(count), free: () => {} })
      const own = vectors[self] ?? Object.values(vectors)[0]?.map((vector) => new Float32Array(vector.length)) ?? []
      const means: Float32Array[] = []
      const { round } = openingOf({ epoch, areEqual, vectors: own, means })
      const node = { self, gather: network.channel(self, 'gather'), means: network.channel(self, 'means') }
      let x = arena.adopt(models[self]?.slice() ?? new Float32Array(length))
      for (let k = 0; k <= own.length; k++) {
        const state = await round?.(node as never, { x }, k)
        if (state !== undefined) x = state.x as Vector
      }
      results.set(self, { x: x.values.slice(), means })
    })
  )
  return { results, sent: network.sent }
}

const bits = (numbers: Float32Array) => [...new Uint32Array(numbers.slice().buffer)]

function drawn(seed: number, length: number): Float32Array {
  return Float32Array.from({ length }, (_, index) => Math.sin(seed * 97 + index * 13) * 10 ** ((index % 9) - 4))
}

for (const length of [1, 2, 3, 10, 101]) {
  test(`all members open with the mean of the givers’ models, rounded once: ${length} numbers`, async (t) => {
    const models = { a: drawn(1, length), b: drawn(2, length), c: drawn(3, length), d: drawn(4, length) }
    const { results } = await opened({ members: 'abcde', givers: 'abd', models })
    const exact = Float32Array.from(models.a, (_, i) => (models.a[i] + models.b[i] + models.d[i]) / 3)
    const [{ x: first }] = results.values()
    for (const [index, value] of first.entries()) {
      const ulp = Math.max(2 ** -149, Math.abs(exact[index]) * 2 ** -23)
      t.true(Math.abs(value - exact[index]) <= ulp, `${value} is not ${exact[index]}`)
    }
    for (const [name, { x }] of results) t.deepEqual(bits(x), bits(first), name)
  })
}

test('where models are equal, all have their bits, and nothing is sent to a giver', async (t) => {
  const model = drawn(1, 37)
  const { results, sent } = await opened({
    members: 'abcd',
    givers: 'abc',
    areEqual: true,
    models: { a: model, b: model, c: model, d: drawn(9, 37) }
  })
  for (const [name, { x }] of results) t.deepEqual(bits(x), bits(model), name)
  t.deepEqual(sent.sort(), ['means a→d 12', 'means b→d 12', 'means c→d 13'])
})

test('the mean of equal numbers is the same number, whether that is known or not', async (t) => {
  const model = Float32Array.from([...drawn(3, 50), 3e38, -3e38, 1e-45, 0])
  for (const givers of ['abc', 'abcdef', 'abcdefg']) {
    const models = Object.fromEntries([...givers].map((name) => [name, model]))
    const { results } = await opened({ members: 'abcdefg', givers, models })
    for (const [name, { x }] of results) t.deepEqual(bits(x), bits(model), `${name} of ${givers}`)
  }
})

test('two vectors’ worth travels on each line, and none where all have the mean', async (t) => {
  const models = Object.fromEntries([...'abcd'].map((name, index) => [name, drawn(index, 40)]))
  const { sent } = await opened({ members: 'abcd', givers: 'abcd', models })
  t.is(sent.filter((text) => text.startsWith('gather a→')).length, 3)
  t.true(sent.every((text) => text.endsWith(' 10')))
  t.is(sent.length, 24)
  const { sent: none } = await opened({ members: 'abcd', givers: 'abcd', areEqual: true, models })
  t.deepEqual(none, [])
})

test('one giver sends its model to all others; a member alone sends nothing', async (t) => {
  const models = { a: drawn(1, 9), b: drawn(2, 9) }
  const { results, sent } = await opened({ members: 'abc', givers: 'b', models })
  for (const { x } of results.values()) t.deepEqual(bits(x), bits(models.b))
  t.deepEqual(sent.sort(), ['means b→a 9', 'means b→c 9'])
  const alone = await opened({ members: 'a', givers: 'a', models })
  t.deepEqual(alone.sent, [])
  t.deepEqual(bits(alone.results.get(peerName('a'))?.x ?? new Float32Array(0)), bits(models.a))
})

test('no vector is sent between the ends of a broken pair', async (t) => {
  const [a, b] = named('ab')
  const models = { a: drawn(1, 12), b: drawn(2, 12), c: drawn(3, 12), d: drawn(4, 12) }
  const { results, sent } = await opened({ members: 'abcd', givers: 'abcd', broken: [[a, b]], models })
  t.deepEqual(
    sent.filter((text) => / (a→b|b→a) /.test(text)),
    []
  )
  const [{ x: first }] = results.values()
  for (const { x } of results.values()) t.deepEqual(bits(x), bits(first))
})

test('what givers carry has its mean too, for those that have none as well', async (t) => {
  const models = { a: drawn(1, 8), b: drawn(2, 8) }
  const vectors = { a: [drawn(5, 8), drawn(6, 8)], b: [drawn(7, 8), drawn(8, 8)] }
  const { results } = await opened({ members: 'abc', givers: 'ab', models, vectors })
  const exact = [0, 1].map((k) => bits(Float32Array.from(vectors.a[k], (value, i) => (value + vectors.b[k][i]) / 2)))
  for (const [name, { means }] of results) t.deepEqual(means.map(bits), exact, name)
  const equal = await opened({
    members: 'abc',
    givers: 'ab',
    areEqual: true,
    models,
    vectors: { a: vectors.a, b: vectors.a }
  })
  for (const [name, { means }] of equal.results) t.deepEqual(means.map(bits), vectors.a.map(bits), name)
})
