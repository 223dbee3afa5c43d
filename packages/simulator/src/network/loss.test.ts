import { type Links, type PathLink, peerName } from '@murmuration/core'
import test from 'ava'
import fc from 'fast-check'
import { simulate } from '../simulate.js'
import { arrivals, close, namesOf, nobody, wire } from './network.test.support.js'
import { type NetworkOptions, rawNetwork } from './network.js'

const pathWith = (changes: Partial<PathLink>): Links => {
  const path = { latency: 10, jitter: 0, loss: 0, bandwidth: Infinity, window: Infinity, pipes: [], ...changes }
  return { access: () => ({ up: 8e6, down: 8e6 }), path: () => path }
}

test('jitter delays a stream but keeps its order and loses nothing', async (t) => {
  const sends = Array.from({ length: 200 }, (_, k) => ({ from: 0, to: 1, bytes: 1000 + k }))
  const times = await arrivals(2, sends, { links: pathWith({ jitter: 5 }) })
  const plain = await arrivals(2, sends, { links: pathWith({}) })
  t.true(times.every((time, k) => time >= plain[k] - 1e-9 && (k === 0 || time >= times[k - 1])))
  t.true(times.some((time, k) => time > plain[k] + 1))
})

test('the fraction of datagrams that is lost is that of their packets, and the rest arrives', async (t) => {
  const network: NetworkOptions = { ...rawNetwork, transport: 'datagram' }
  let arrived = 0
  await simulate(
    {
      topology: nobody(namesOf(2)),
      seed: 7,
      wire,
      links: pathWith({ loss: 0.1 }),
      network,
      cost: () => 0,
      queueLimit: 1e6
    },
    async (fabric) => {
      if (fabric.self === 'p000') for (let k = 0; k < 4000; k++) fabric.send(peerName('p001'), 2000)
      else while ((await fabric.receive(1e6)) !== undefined) arrived++
    }
  )
  // Two packets each; the standard deviation of the fraction is 0.6 %.
  t.true(Math.abs(arrived / 4000 - 0.81) < 0.025, `${arrived / 4000}`)
})

test('loss is charged once on a stream: each message takes its bytes over the rate of Mathis et al. 1997, and the latency', async (t) => {
  const drawn = { bytes: fc.integer({ min: 1, max: 1e7 }), loss: fc.double({ min: 0.01, max: 0.3, noNaN: true }) }
  await fc.assert(
    fc.asyncProperty(fc.record({ ...drawn, latency: fc.integer({ min: 5, max: 300 }) }), async (path) => {
      const { bytes, loss, latency } = path
      const cap = (1448 * Math.sqrt(1.5)) / (2 * latency * Math.sqrt(loss))
      const sends = [bytes, 2 * bytes].map((size) => ({ from: 0, to: 1, bytes: size }))
      const times = await arrivals(2, sends, { links: pathWith({ loss, latency }) })
      const rate = Math.min(cap, 1000)
      t.true(close(times[0], bytes / rate + latency) && close(times[1], (3 * bytes) / rate + latency), String(times))
    }),
    { numRuns: 50 }
  )
})

test('datagrams are dropped as a whole, and loss slows none that arrives', async (t) => {
  const sends = Array.from({ length: 200 }, (_, k) => ({ from: 0, to: 1, bytes: 3000 + k }))
  const network: NetworkOptions = { ...rawNetwork, transport: 'datagram' }
  const times = new Map<number, number | undefined>()
  await simulate(
    {
      topology: nobody(namesOf(2)),
      seed: 7,
      wire,
      links: pathWith({ loss: 0.2, latency: 100 }),
      network,
      cost: () => 0,
      queueLimit: 1e6,
      observer: { message: (_from, _to, bytes, _sent, arrived) => times.set(bytes, arrived) }
    },
    async (fabric) => {
      if (fabric.self === 'p000') for (const { bytes } of sends) fabric.send(peerName('p001'), bytes)
      else while ((await fabric.receive(1e6)) !== undefined);
    }
  )
  let carried = 0
  for (const { bytes } of sends) {
    carried += bytes
    const time = times.get(bytes)
    if (time !== undefined) t.true(close(time, carried / 1000 + 100), `${bytes}: ${time}`)
  }
  const arrived = [...times.values()].filter((time) => time !== undefined).length
  // Three packets each: 0.8³ = 0.512 arrive, with a standard deviation of 3.5 %.
  t.is(times.size, sends.length)
  t.true(Math.abs(arrived / sends.length - 0.512) < 0.14, `${arrived}`)
})
