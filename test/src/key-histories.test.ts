/** Keyed rows that move: whatever the delays, each key is sequentially consistent, and no write is lost or done twice. */
import test from 'ava'
import { inconsistency } from './keys/consistency.js'
import { history } from './keys/histories.js'
import { planted } from './keys/planted.js'

const seeds = Array.from({ length: 60 }, (_, index) => index + 1)

test('operations that are waited for are sequentially consistent, key by key (Renz-Wieland et al., VLDB 2020, section 3)', async (t) => {
  let [moved, queued] = [0, 0]
  for (const seed of seeds) {
    const result = await history(seed)
    t.is(result.problem, undefined, `to replay: node test/dist/keys/explore.js ${seed} 1`)
    moved += result.moved
    queued += result.queued
  }
  t.true(moved > 500 && queued > 100, `${moved} moves, ${queued} queued`)
})

for (const [name, open] of Object.entries(planted)) {
  test(`the checker finds a planted error: ${name}`, async (t) => {
    let found: string | undefined
    for (let seed = 1; seed <= 200 && found === undefined; seed++) found = (await history(seed, open)).problem
    t.truthy(found)
    t.log(found)
  })
}

test('the same seed plays the same history', async (t) => {
  t.deepEqual(await history(7), await history(7))
})

test('a read that misses an own write, reads that go back, and writes seen in two orders have no order', (t) => {
  const seen = (...adds: number[]) => new Set(adds)
  const own = [
    { key: 0, worker: 'a', order: 0, add: 0 },
    { key: 0, worker: 'a', order: 1, seen: seen() }
  ]
  t.regex(inconsistency(own) ?? '', /no order is possible of a\.0: add 0, a\.1: read/)
  const back = [
    { key: 0, worker: 'a', order: 0, add: 0 },
    { key: 0, worker: 'b', order: 0, seen: seen(0) },
    { key: 0, worker: 'b', order: 1, seen: seen() }
  ]
  t.truthy(inconsistency(back))
  const crossed = [
    { key: 0, worker: 'a', order: 0, add: 0 },
    { key: 0, worker: 'b', order: 0, add: 1 },
    { key: 0, worker: 'c', order: 0, seen: seen(0) },
    { key: 0, worker: 'd', order: 0, seen: seen(1) }
  ]
  t.truthy(inconsistency(crossed))
  t.is(
    inconsistency([...own.slice(0, 1), { key: 1, worker: 'a', order: 1, seen: seen() }]),
    undefined,
    'keys are apart'
  )
  t.is(inconsistency([...crossed.slice(0, 3), { key: 0, worker: 'd', order: 0, seen: seen(0, 1) }]), undefined)
})
