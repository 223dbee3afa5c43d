import { readFile } from 'node:fs/promises'
import { setTimeout as realDelay } from 'node:timers/promises'
import { byName, type Fabric, type PeerName, peerName, type Topology, type Wire } from '@murmuration/core'
import test from 'ava'
import { simulate } from './simulate.js'
import { Simulation } from './simulation.js'
import { type SimulationOptions, uniformLinks } from './simulation-options.js'

/** A message is a text. */
const wire: Wire<string> = {
  byteLength: (text) => text.length,
  payloadLength: (text) => text.length,
  copy: (text) => text
}

function everyone(...names: readonly string[]): Topology {
  const peers = names.map(peerName).sort(byName)
  const others = (self: PeerName) => peers.filter((name) => name !== self)
  return {
    peers,
    period: 1,
    mixing: (self) => ({
      selfWeight: 1 / peers.length,
      receiveFrom: others(self).map((name) => ({ name, weight: 1 / peers.length })),
      sendTo: others(self).map((name) => ({ name, weight: 1 / peers.length }))
    })
  }
}

function run(
  names: string,
  program: (fabric: Fabric<string>) => Promise<void>,
  options: Partial<SimulationOptions<string>> = {}
) {
  const topology = everyone(...names)
  return simulate(
    { topology, seed: 1, wire, links: uniformLinks({ latency: 10 }), cost: () => 100, ...options },
    program
  )
}

test('a message takes the latency of its link, and bytes are counted', async (t) => {
  let arrived = -1
  const result = await run('ab', async (fabric) => {
    if (fabric.self === 'a') {
      await fabric.sleep(5)
      fabric.send(peerName('b'), 'hello')
    } else {
      await fabric.receive()
      arrived = fabric.now()
    }
  })
  t.is(arrived, 15)
  t.like(result, { elapsed: 15, messages: 1, bytes: 5 })
})

for (const [title, real] of [
  [
    'two hundred nested awaits',
    async () => {
      for (let k = 0; k < 200; k++) await Promise.resolve()
    }
  ],
  ['a real file', () => readFile(new URL(import.meta.url))],
  ['a real timer', () => realDelay(5)]
] as const) {
  test(`whatever a program awaits outside the fabric happens at frozen virtual time: ${title}`, async (t) => {
    const log: string[] = []
    await run('ab', async (fabric) => {
      await fabric.sleep(fabric.self === 'a' ? 1 : 5)
      if (fabric.self === 'a') await real()
      log.push(`${fabric.self} ${fabric.now()}`)
    })
    t.deepEqual(log, ['a 1', 'b 5'])
  })
}

test('programs run one at a time, in the order of time and then of scheduling', async (t) => {
  const log: string[] = []
  await run('cab', async (fabric) => {
    for (let k = 0; k < 2; k++) {
      await fabric.sleep(10 * (k + 1))
      log.push(`${fabric.self}${k} in`)
      await realDelay(fabric.self === 'a' ? 3 : 0)
      log.push(`${fabric.self}${k} out`)
    }
  })
  t.deepEqual(
    log,
    ['a0', 'b0', 'c0', 'a1', 'b1', 'c1'].flatMap((name) => [`${name} in`, `${name} out`])
  )
})

test('computing takes its virtual cost, and overlaps with sending and receiving', async (t) => {
  const log: string[] = []
  await run('ab', async (fabric) => {
    const result = fabric.work({ kind: 'gradient', samples: 1, run: async () => 'done' })
    for (const { name: to } of fabric.neighbours(0).sendTo) fabric.send(to, 'x')
    await fabric.receive()
    log.push(`${fabric.self} received at ${fabric.now()}`)
    log.push(`${fabric.self} ${await result} at ${fabric.now()}`)
  })
  t.deepEqual(log, ['b received at 10', 'a received at 10', 'a done at 100', 'b done at 100'])
})

test('computing that is over before it is awaited costs no more time', async (t) => {
  let end = 0
  await run('a', async (fabric) => {
    const result = fabric.work({ kind: 'gradient', samples: 1, run: () => realDelay(2) })
    await fabric.sleep(500)
    await result
    end = fabric.now()
  })
  t.is(end, 500)
})

test('a deadlock is an error that names who waits for what', async (t) => {
  const error = await t.throwsAsync(
    run('ab', async (fabric) => {
      await fabric.receive()
    })
  )
  t.is(error?.name, 'DeadlockError')
  t.regex(error?.message ?? '', /2 programs wait:\n {2}a waits for a message\n {2}b waits for a message/)
})

test('a program that waits in a loop for a time that has passed ends the simulation, and is named', async (t) => {
  t.timeout(120_000)
  const error = await t.throwsAsync(
    run('ab', async (fabric) => {
      await fabric.sleep(7)
      while (fabric.self === 'b') await fabric.receive(5)
    })
  )
  t.is(error?.name, 'DeadlockError')
  t.regex(error?.message ?? '', /deadlines at 7 ms, and the clock does not advance: the program of b waits in a loop/)
})

test('waiting for two things at once is refused, and the way out is named', async (t) => {
  const error = await t.throwsAsync(
    run('a', async (fabric) => {
      await Promise.all([fabric.sleep(10), fabric.receive(20)])
    })
  )
  t.is(error?.name, 'InvariantError')
  t.regex(error?.message ?? '', /one thing at a time.*fabric\.spawn/)
})

test('the same seed gives the same trace', async (t) => {
  const trace = async () => {
    const log: string[] = []
    await run('abcd', async (fabric) => {
      const draws = fabric.random.stream('walk')
      for (let k = 0; k < 20; k++) {
        const { name: to } = fabric.neighbours(k).sendTo[draws.integer(3)]
        log.push(`${fabric.now()} ${fabric.self} -> ${to} ${fabric.send(to, `${k}`)}`)
        const got = await fabric.receive(fabric.now() + draws.integer(15))
        log.push(`${fabric.now()} ${fabric.self} <- ${got?.from} ${got?.message}`)
      }
    })
    return log
  }
  t.deepEqual(await trace(), await trace())
})

test('a thousand peers that all talk to all of a ring come to the end they should', async (t) => {
  const names = Array.from({ length: 1000 }, (_, k) => `p${String(k).padStart(4, '0')}`)
  const peers = names.map(peerName)
  const ring: Topology = {
    peers,
    period: 1,
    mixing: (self) => {
      const at = peers.indexOf(self)
      const next = [peers[(at + 1) % 1000], peers[(at + 999) % 1000]].sort(byName)
      const both = next.map((name) => ({ name, weight: 1 / 3 }))
      return { selfWeight: 1 / 3, receiveFrom: both, sendTo: both }
    }
  }
  const result = await simulate(
    { topology: ring, seed: 1, wire, links: uniformLinks({ latency: 10 }), cost: () => 0 },
    async (fabric) => {
      const { sendTo } = fabric.neighbours(0)
      for (let round = 0; round < 5; round++) {
        for (const { name } of sendTo) fabric.send(name, 'x')
        for (const _ of sendTo) await fabric.receive()
      }
    }
  )
  t.like(result, { elapsed: 50, messages: 10_000, bytes: 10_000 })
})

test('what a later epoch drops is not traffic, takes no time and no room, and its memory is released', async (t) => {
  const recycled: string[] = []
  const received: string[] = []
  const epochs: Wire<string> = { ...wire, epochOf: Number.parseFloat, recycle: (text) => recycled.push(text) }
  const [a, b] = ['a', 'b'].map(peerName)
  const topology = everyone('a', 'b')
  const options = { topology, seed: 1, wire: epochs, links: uniformLinks({ bandwidth: 8000 }), cost: () => 0 }
  const simulation = new Simulation(options, async (fabric) => {
    if (fabric.self === b) {
      while (received.length < 3) received.push(`${(await fabric.receive())?.message} ${fabric.now()}`)
      return
    }
    for (let k = 0; k < 8; k++) t.is(fabric.send(b, `0 is sent ${k}`), 'queued')
    t.is(fabric.send(b, '0 has no room'), 'full')
    await fabric.sleep(5)
    for (let k = 0; k < 2; k++) t.is(fabric.send(b, `1 ${k}`), 'queued')
    t.is(fabric.send(b, '0 comes late'), 'queued')
    await fabric.sleep(100)
  })
  await simulation.run()
  t.deepEqual(received, ['0 is sent 0 11', '1 0 14', '1 1 17'])
  t.deepEqual(
    recycled,
    Array.from({ length: 7 }, (_, k) => `0 is sent ${k + 1}`)
  )
  t.like(simulation.traffic, { messages: 3, bytes: 17, payload: 17 })
  t.is(simulation.busiest().bytes, 17)
  t.deepEqual(simulation.timeOf(a), { working: 0, sending: 17, waiting: 83 })
})
