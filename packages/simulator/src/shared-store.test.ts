import { MemoryStore, peerName } from '@murmuration/core'
import test from 'ava'
import { SharedStore } from './shared-store.js'
import { simulate } from './simulate.js'
import { uniformLinks } from './simulation-options.js'

const nothing = { store: 0, storePerMB: 0, service: 0, servicePerMB: 0 }
const costs = {
  get: { store: 1, storePerMB: 20, service: 2, servicePerMB: 10 },
  set: { store: 3, storePerMB: 40, service: 4, servicePerMB: 30 },
  add: nothing
}
const names = ['a', 'b', 'c'].map(peerName)

/** Runs a program on each of three services that share a store. */
async function shared(
  act: (service: string, store: ReturnType<SharedStore['of']>, now: () => number) => Promise<void>,
  weight = 1
) {
  const store = new SharedStore(new MemoryStore(), costs, weight)
  const topology = { peers: names, period: 1, mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] }) }
  const wire = { byteLength: () => 1, payloadLength: () => 1, copy: (message: string) => message }
  await simulate({ topology, seed: 1, wire, links: uniformLinks({}), cost: () => 0 }, async (fabric) => {
    await act(fabric.self, store.of(fabric), () => fabric.now())
  })
}

test('what keeps the store busy is done one after the other; the rest at the same time', async (t) => {
  const half = new Float32Array(125_000)
  const written: Record<string, number> = {}
  const read: Record<string, number> = {}
  await shared(async (service, store, now) => {
    await store.set(service, half)
    written[service] = now()
    await store.get(service, new Float32Array(125_000))
    read[service] = now()
  })
  // Each 4 + 15 ms in the service, then 3 + 20 ms in the store: 19 + 23 n.
  t.deepEqual(written, { a: 42, b: 65, c: 88 })
  // a reads at 42 ms, when the store is reserved for b and c until 88 ms: then 1 + 10 ms in the store, then 2 + 5 ms in
  // the service.
  t.deepEqual(read, { a: 106, b: 117, c: 128 })
})

test('what one reads before another writes is what was there, and its version says so', async (t) => {
  const found: number[][] = []
  await shared(async (service, store) => {
    const into = new Float32Array(1)
    await store.create('x', into)
    const read = (await store.get('x', into)) ?? 0
    into[0] += 1
    const written = await store.set('x', into)
    found.push([read, written])
    if (service === 'c') t.deepEqual(await store.get('x', into), 4)
    if (service === 'c') t.is(into[0], 1, 'two of three updates are lost')
  })
  t.deepEqual(found, [
    [1, 2],
    [1, 3],
    [1, 4]
  ])
})

test('numbers that stand for more take as much longer', async (t) => {
  let end = 0
  const one = async (service: string, store: ReturnType<SharedStore['of']>, now: () => number) => {
    if (service !== 'a') return
    await store.set('x', new Float32Array(250))
    end = now()
  }
  await shared(one, 1000)
  // 1 kB for 1 MB: 4 + 30 ms in the service, then 3 + 40 ms in the store.
  t.is(end, 77)
})
