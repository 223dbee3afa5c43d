import { type Links, peerName } from '@murmuration/core'
import test from 'ava'
import fc from 'fast-check'
import { simulate } from '../simulate.js'
import { uniformLinks } from '../simulation-options.js'
import { arrivals, close, namesOf, nobody, type Send, wire } from './network.test.support.js'
import { type NetworkOptions, rawNetwork } from './network.js'

/** One half-duplex line between two machines, as in SimGrid's documentation. */
function oneLine(bandwidth: number, latency: number, window = Infinity): Links {
  const path = { latency, jitter: 0, loss: 0, bandwidth: Infinity, window, pipes: [{ name: 'line', bandwidth }] }
  return { access: () => ({ up: Infinity, down: Infinity }), path: () => path }
}

test('100 kB over 1 Mbit/s with 10 ms take 0.81 s', async (t) => {
  const links = uniformLinks({ bandwidth: 1e6, latency: 10 })
  const [time] = await arrivals(2, [{ from: 0, to: 1, bytes: 100_000 }], { links })
  t.true(close(time, 810), `${time}`)
})

test('with the factors of SimGrid’s LV08 they take its documented 0.996079 s', async (t) => {
  const network: NetworkOptions = { ...rawNetwork, efficiency: 0.97, acknowledgements: 0.05, latencyFactor: 13.01 }
  const [time] = await arrivals(2, [{ from: 0, to: 1, bytes: 100_000 }], { links: oneLine(1e6, 10), network })
  t.is(time.toFixed(3), '996.079')
})

for (const [latency, seconds] of [
  [0, 1],
  [0.01, 1.00001],
  [1, 10e9 / (4_194_304 / 0.002) + 0.001],
  [100, 10e9 / (4_194_304 / 0.2) + 0.1]
]) {
  test(`a window of 4 MiB per round trip is SimGrid’s CM02: 10 GB over 10 GB/s with ${latency} ms`, async (t) => {
    const links = oneLine(80e9, latency, 4_194_304)
    const [time] = await arrivals(2, [{ from: 0, to: 1, bytes: 10e9 }], { links })
    t.true(close(time, seconds * 1000, 1e-6), `${time}`)
  })
}

test('incast: n peers that send S bytes to one over a line of B take n S / B, and all finish together', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 1e6 }), async (n, bytes) => {
      const sends = Array.from({ length: n }, (_, k) => ({ from: k + 1, to: 0, bytes }))
      const times = await arrivals(n + 1, sends, { links: uniformLinks({ bandwidth: 8e6, latency: 3 }) })
      for (const time of times) t.true(close(time, (n * bytes) / 1000 + 3), `${time}`)
    }),
    { numRuns: 30 }
  )
})

test('all to all: every line is busy all the time, so 8 peers that send 100 kB to each other need 7 times as long as for one', async (t) => {
  const all = Array.from({ length: 64 }, (_, k) => ({ from: k >> 3, to: k & 7, bytes: 100_000 }))
  const sends = all.filter(({ from, to }) => from !== to)
  const times = await arrivals(8, sends, { links: uniformLinks({ bandwidth: 8e6, latency: 1 }) })
  t.true(close(Math.max(...times), 701), `${Math.max(...times)}`)
})

test('both directions of a line carry at full speed at once', async (t) => {
  const sends = [
    { from: 0, to: 1, bytes: 1000 },
    { from: 1, to: 0, bytes: 1000 }
  ]
  t.deepEqual(await arrivals(2, sends, { links: uniformLinks({ bandwidth: 8e6 }) }), [1, 1])
})

test('messages on one connection go one after the other', async (t) => {
  const sends = [
    { from: 0, to: 1, bytes: 1000 },
    { from: 0, to: 1, bytes: 3000 }
  ]
  t.deepEqual(await arrivals(2, sends, { links: uniformLinks({ bandwidth: 8e6, latency: 5 }) }), [6, 9])
})

test('a pipe that pairs share divides among them', async (t) => {
  const path = { latency: 0, jitter: 0, loss: 0, bandwidth: Infinity, window: Infinity }
  const pipes = [{ name: 'sea', bandwidth: 8e6 }]
  const links: Links = { access: () => ({ up: Infinity, down: Infinity }), path: () => ({ ...path, pipes }) }
  const sends = [
    { from: 0, to: 1, bytes: 1000 },
    { from: 2, to: 3, bytes: 1000 }
  ]
  t.deepEqual(await arrivals(4, sends, { links }), [2, 2])
})

test('a flow that ends gives its share to those that go on', async (t) => {
  const sends = [
    { from: 1, to: 0, bytes: 1000 },
    { from: 2, to: 0, bytes: 3000 }
  ]
  const times = await arrivals(3, sends, { links: uniformLinks({ bandwidth: 8e6 }) })
  t.true(close(times[0], 2) && close(times[1], 4), String(times))
})

const traffic = fc.array(
  fc.record({
    from: fc.nat(4),
    to: fc.nat(4),
    bytes: fc.integer({ min: 1, max: 100_000 }),
    at: fc.integer({ min: 0, max: 50 })
  }),
  { minLength: 1, maxLength: 30 }
)
const between = (sends: readonly Send[]) => sends.filter(({ from, to }) => from !== to)

test('no bytes are lost, and no line is faster than it is: all arrives, not before what its line had to carry', async (t) => {
  await fc.assert(
    fc.asyncProperty(traffic, async (all) => {
      const sends = between(all)
      const times = await arrivals(5, sends, { links: uniformLinks({ bandwidth: 8e6, latency: 2 }) })
      t.false(times.some(Number.isNaN))
      const last = Math.max(0, ...times)
      for (const peer of [0, 1, 2, 3, 4]) {
        for (const end of ['from', 'to'] as const) {
          const own = sends.filter((send) => send[end] === peer)
          const bytes = own.reduce((sum, send) => sum + send.bytes, 0)
          if (bytes > 0) t.true(last >= Math.min(...own.map(({ at = 0 }) => at)) + bytes / 1000 + 2 - 1e-6)
        }
      }
    }),
    { numRuns: 60 }
  )
})

test('ten times the bandwidth and ten times the bytes take the same time', async (t) => {
  await fc.assert(
    fc.asyncProperty(traffic, async (all) => {
      const sends = between(all)
      const small = await arrivals(5, sends, { links: uniformLinks({ bandwidth: 8e6 }) })
      const scaled = sends.map((send) => ({ ...send, bytes: send.bytes * 10 }))
      const large = await arrivals(5, scaled, { links: uniformLinks({ bandwidth: 8e7 }) })
      t.true(small.every((time, index) => close(time, large[index], 1e-6)))
    }),
    { numRuns: 30 }
  )
})

test('endpoints on one machine share its line, and what they say to each other stays off it', async (t) => {
  const peers = namesOf(2)
  const server = peerName('server')
  const times: number[] = []
  const result = await simulate(
    {
      topology: nobody(peers),
      servers: [{ name: server, on: peers[0] }],
      seed: 1,
      wire,
      links: uniformLinks({ bandwidth: 8e6, latency: 4 }),
      cost: () => 0
    },
    async (fabric) => {
      if (fabric.self === server) {
        fabric.send(peers[0], 5000)
        fabric.send(peers[1], 1000)
      } else {
        if (fabric.self === peers[0]) fabric.send(peers[1], 1000)
        const expected = fabric.self === peers[0] ? 1 : 2
        for (let k = 0; k < expected; k++) {
          await fabric.receive()
          times.push(fabric.now())
        }
      }
    }
  )
  t.deepEqual(times, [0, 6, 6])
  t.deepEqual([result.messages, result.bytes], [2, 2000])
})
