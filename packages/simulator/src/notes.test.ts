import { byName, type Fabric, type PeerName, peerName, type Topology, type Wire } from '@murmuration/core'
import test from 'ava'
import type { FaultEvent, FaultRule } from './faults.js'
import { rawNetwork } from './network/network.js'
import { Simulation } from './simulation.js'
import { type SimulationOptions, uniformLinks } from './simulation-options.js'

/** A message is its length in bytes. */
const wire: Wire<number> = { byteLength: (bytes) => bytes, payloadLength: (bytes) => bytes, copy: (bytes) => bytes }
const [a, b, c] = ['a', 'b', 'c'].map(peerName)
const topology: Topology = {
  peers: [a, b, c].sort(byName),
  period: 1,
  mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] })
}

interface Options extends Partial<SimulationOptions<number>> {
  readonly events?: readonly FaultEvent[]
  readonly rules?: readonly FaultRule[]
  /** The peers that listen; all when absent. */
  readonly listeners?: readonly PeerName[]
}

/** Runs for a second; returns what all have heard, with the virtual time. */
async function run(
  program: (fabric: Fabric<number>, log: (what: string) => void) => Promise<void>,
  { events = [], rules = [], listeners = [a, b, c], ...options }: Options = {}
) {
  const lines: string[] = []
  const links = uniformLinks({ latency: 10 })
  const faults = { rules, events }
  const simulation = new Simulation<number>(
    { topology, seed: 1, wire, links, cost: () => 100, faults, until: 1000, ...options },
    async (fabric) => {
      const log = (what: string) => void lines.push(`${fabric.self} ${fabric.now()} ${what}`)
      const listener = {
        note: (from: PeerName, note: string) => {
          log(`${from}: ${note}`)
          return note === 'wrong' ? 'it is wrong' : undefined
        },
        heard: () => {},
        refused: (peer: PeerName) => log(`${peer} refused`)
      }
      if (listeners.includes(fabric.self)) fabric.listen(listener)
      await program(fabric, log)
      await fabric.sleep(2000)
    }
  )
  await simulation.run()
  return { lines, hash: simulation.log.text(), traffic: simulation.traffic }
}

/** a tells b the times 0, 100, 200, … up to 500. */
const telling = async (fabric: Fabric<number>) => {
  for (let k = 0; k <= 5 && fabric.self === a; k++) {
    await fabric.sleep(100 * k)
    fabric.tell(b, `${100 * k}`)
  }
}

test('a note takes the time of its bytes and the latency, ahead of vectors, which come when they would without it', async (t) => {
  const links = uniformLinks({ latency: 10, bandwidth: 8e4 })
  const times = async (notes: number) => {
    const { lines, traffic } = await run(
      async (fabric, log) => {
        if (fabric.self === a) for (let k = 0; k < 3; k++) fabric.send(b, 1000)
        if (fabric.self === a) for (let k = 0; k < notes; k++) fabric.tell(b, '0123456789')
        for (let k = 0; k < 3 && fabric.self === b; k++) log(`vector of ${(await fabric.receive())?.message}`)
      },
      { links }
    )
    return { lines, bytes: traffic.bytes }
  }
  const vectors = ['b 110 vector of 1000', 'b 210 vector of 1000', 'b 310 vector of 1000']
  t.deepEqual(await times(0), { lines: vectors, bytes: 3000 })
  t.deepEqual(await times(2), { lines: ['b 11 a: 0123456789', 'b 12 a: 0123456789', ...vectors], bytes: 3020 })
})

test('a crashed peer is refused at those that are connected to it, and at those that tell it something, after a round trip', async (t) => {
  const { lines } = await run(
    async (fabric) => {
      if (fabric.self === b) fabric.send(a, 1)
      await fabric.sleep(300)
      if (fabric.self === c) fabric.tell(b, 'too late')
    },
    { events: [{ at: 100, kind: 'crash', peer: b }] }
  )
  // The loss is detected after 10 ms.
  t.deepEqual(lines, ['a 130 b refused', 'c 320 b refused'])
})

test('one that is frozen, has left or is on the far side of a partition is not refused', async (t) => {
  for (const events of [
    [{ at: 50, kind: 'freeze', peer: b }],
    [{ at: 50, kind: 'leave', peer: b }],
    [
      { at: 40, kind: 'partition', groups: [[a, c], [b]] },
      { at: 50, kind: 'crash', peer: b }
    ]
  ] as const) {
    const { lines } = await run(telling, { events })
    t.deepEqual(lines, ['b 10 a: 0'])
  }
})

test('one that is back is told again, and hears nothing that was told to the one before', async (t) => {
  const { lines } = await run(telling, {
    events: [
      { at: 105, kind: 'crash', peer: b },
      { at: 205, kind: 'restart', peer: b }
    ]
  })
  // Notes sent at 100 and 200 ms had not arrived yet.
  t.deepEqual(lines, [
    'b 10 a: 0',
    'a 120 b refused',
    'a 135 b refused',
    'b 310 a: 300',
    'b 410 a: 400',
    'b 510 a: 500'
  ])
})

test('what has not left a peer when it crashes does not come', async (t) => {
  const { lines } = await run(
    async (fabric) => {
      for (let k = 0; k < 5 && fabric.self === a; k++) fabric.tell(b, `${k}`.repeat(100))
    },
    { links: uniformLinks({ latency: 10, bandwidth: 8e4 }), events: [{ at: 25, kind: 'crash', peer: a }] }
  )
  t.deepEqual(
    lines.filter((line) => line.includes(': ')).map((line) => line.slice(0, 10)),
    ['b 20 a: 00', 'b 30 a: 11']
  )
})

test('a partition holds notes of a stream back until it heals, in their order; of datagrams it lets none pass', async (t) => {
  const events: readonly FaultEvent[] = [
    { at: 50, kind: 'partition', groups: [[a], [b, c]] },
    { at: 350, kind: 'heal' }
  ]
  const late = ['b 350 a: 100', 'b 350 a: 200', 'b 350 a: 300']
  const others = ['b 410 a: 400', 'b 510 a: 500']
  t.deepEqual((await run(telling, { events })).lines, ['b 10 a: 0', ...late, ...others])
  const network = { ...rawNetwork, transport: 'datagram' as const }
  t.deepEqual((await run(telling, { events, network })).lines, ['b 10 a: 0', ...others])
})

test('one that is frozen hears at its thaw, in order', async (t) => {
  const events: readonly FaultEvent[] = [
    { at: 50, kind: 'freeze', peer: b },
    { at: 250, kind: 'thaw', peer: b }
  ]
  t.deepEqual((await run(telling, { events })).lines.slice(0, 4), [
    'b 10 a: 0',
    'b 250 a: 100',
    'b 250 a: 200',
    'b 310 a: 300'
  ])
})

test('rules drop and delay notes, and none overtakes another', async (t) => {
  const rules: readonly FaultRule[] = [
    { after: 100, until: 200, verdict: 'drop' },
    { after: 200, until: 300, verdict: { delay: 150 } }
  ]
  t.deepEqual((await run(telling, { rules })).lines, [
    'b 10 a: 0',
    'b 360 a: 200',
    'b 360 a: 300',
    'b 410 a: 400',
    'b 510 a: 500'
  ])
})

test('a note that the listener finds fault with is counted against its sender', async (t) => {
  const { traffic } = await run(async (fabric) => {
    for (const note of ['good', 'wrong', 'wrong']) if (fabric.self === a) fabric.tell(b, note)
  })
  t.deepEqual([...traffic.rejected], [[a, 2]])
})

test('a line full of notes takes no more until some have come', async (t) => {
  const { lines } = await run(async (fabric) => {
    for (let k = 0; k < 600 && fabric.self === a; k++) fabric.tell(b, `${k}`)
    await fabric.sleep(100)
    if (fabric.self === a) fabric.tell(b, 'later')
  })
  t.deepEqual([lines.length, lines.at(-2), lines.at(-1)], [513, 'b 10 a: 511', 'b 110 a: later'])
})

test('a run has the same hash again, notes and chance included; and one without notes that of one in which nobody listens', async (t) => {
  const path = { latency: 10, jitter: 5, loss: 0.1, bandwidth: 1e6, window: Infinity, pipes: [] }
  const links = { access: () => ({ up: 1e6, down: 1e6 }), path: () => path }
  const network = { ...rawNetwork, transport: 'datagram' as const }
  const rules: readonly FaultRule[] = [{ fraction: 0.3, verdict: 'drop' }]
  const hashOf = async (notes: number, listeners?: readonly PeerName[]) => {
    const program = async (fabric: Fabric<number>) => {
      for (let k = 0; k < 20; k++) {
        for (const to of [a, b, c]) fabric.send(to, 5000)
        for (let note = 0; note < notes; note++) fabric.tell(b, `${k}`)
        await fabric.sleep(20 * (k + 1))
      }
    }
    return (await run(program, { links, network, rules, listeners })).hash
  }
  t.is(await hashOf(2), await hashOf(2))
  t.not(await hashOf(2), await hashOf(1))
  t.is(await hashOf(0), await hashOf(0, []))
})
