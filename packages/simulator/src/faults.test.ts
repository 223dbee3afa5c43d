import { byName, type Fabric, type PeerName, peerName, type Topology, type Wire } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { drawFaults, type FaultEvent, applyRules, type FaultRule } from './faults.js'
import { rawNetwork } from './network/network.js'
import { simulate } from './simulate.js'
import { type SimulationOptions, uniformLinks } from './simulation-options.js'

/** A message is a number with a size of 1000 bytes. */
const wire: Wire<number> = { byteLength: () => 1000, payloadLength: () => 1000, copy: (value) => value }
const [a, b, c] = ['a', 'b', 'c'].map(peerName)
const topology: Topology = {
  peers: [a, b, c].sort(byName),
  period: 1,
  mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] })
}

type Program = (fabric: Fabric<number>, log: (what: unknown) => void) => Promise<void>

/** Runs with events; returns what was logged, with the virtual time. */
async function run(
  events: readonly FaultEvent[],
  program: Program,
  { rules = [], ...options }: Partial<SimulationOptions<number>> & { readonly rules?: readonly FaultRule[] } = {}
) {
  const lines: string[] = []
  const settings = { topology, seed: 1, wire, links: uniformLinks({ latency: 10 }), cost: () => 100, queueLimit: 1000 }
  let time = () => 0
  await simulate<number>({ ...settings, faults: { rules, events }, ...options }, async (fabric) => {
    if (fabric.self === a) time = () => fabric.now()
    await program(fabric, (what) => lines.push(`${fabric.self} ${fabric.now()} ${String(what)}`))
  })
  return { lines, time: time() }
}

/** a sends 0, 1, 2, … to b every 10 ms; b logs what arrives for 100 ms. */
const ticking: Program = async (fabric, log) => {
  if (fabric.self === a) {
    for (let k = 0; k < 6; k++) {
      fabric.send(b, k)
      await fabric.sleep(10 * (k + 1))
    }
  }
  if (fabric.self === b) {
    for (let got = await fabric.receive(100); got !== undefined; got = await fabric.receive(100)) log(got.message)
  }
}

test('the first rule that matches decides', (t) => {
  const draws = createRandom(1, 'rules')
  const rules: FaultRule[] = [
    { from: a, to: b, after: 10, until: 20, verdict: 'drop' },
    { from: a, verdict: { delay: 5 } }
  ]
  t.is(applyRules(rules, a, b, 10, draws), 'drop')
  t.deepEqual(applyRules(rules, a, b, 20, draws), { delay: 5 })
  t.deepEqual(applyRules(rules, a, c, 15, draws), { delay: 5 })
  t.is(applyRules(rules, b, a, 15, draws), 'pass')
})

test('a fraction of messages is that fraction', (t) => {
  const draws = createRandom(1, 'rules')
  const rules: FaultRule[] = [{ fraction: 0.25, verdict: 'drop' }]
  const dropped = Array.from({ length: 10_000 }, () => applyRules(rules, a, b, 0, draws)).filter(
    (verdict) => verdict === 'drop'
  )
  t.true(Math.abs(dropped.length / 10_000 - 0.25) < 0.02)
})

test('rules drop and delay messages', async (t) => {
  const rules: FaultRule[] = [
    { from: a, after: 10, until: 30, verdict: 'drop' },
    { from: a, after: 40, verdict: { delay: 7 } }
  ]
  const { lines } = await run([], ticking, { rules })
  t.deepEqual(lines, ['b 10 0', 'b 40 3', 'b 57 4', 'b 67 5'])
})

test('a rule delays what stays on one machine too', async (t) => {
  const server = peerName('server')
  const program: Program = async (fabric, log) => {
    if (fabric.self === a) fabric.send(server, 1)
    if (fabric.self === server) log((await fabric.receive(100))?.message)
  }
  const { lines } = await run([], program, { rules: [{ verdict: { delay: 7 } }], servers: [{ name: server, on: a }] })
  t.deepEqual(lines, ['server 7 1'])
})

test('who crashes is gone without a word, and what had left arrives', async (t) => {
  const { lines } = await run([{ at: 25, kind: 'crash', peer: a }], ticking)
  t.deepEqual(lines, ['b 10 0', 'b 20 1', 'b 30 2'])
})

test('what a crashed peer had not sent is gone', async (t) => {
  const links = uniformLinks({ latency: 10, bandwidth: 8e5 })
  const { lines } = await run([{ at: 25, kind: 'crash', peer: a }], ticking, { links })
  t.deepEqual(lines, ['b 20 0', 'b 30 1'])
})

test('what a peer computed when it crashed never ends', async (t) => {
  const { lines, time } = await run([{ at: 50, kind: 'crash', peer: b }], async (fabric, log) => {
    await fabric.work({ kind: 'gradient', samples: 1, run: () => 0 })
    log('done')
    await fabric.sleep(200)
  })
  t.deepEqual([lines, time], [['a 100 done', 'c 100 done'], 200])
})

test('who restarts begins anew', async (t) => {
  const { lines } = await run(
    [
      { at: 15, kind: 'crash', peer: a },
      { at: 50, kind: 'restart', peer: a }
    ],
    async (fabric, log) => {
      if (fabric.self !== a) return
      log('begins')
      await fabric.sleep(fabric.now() + 20)
      log('ends')
    }
  )
  t.deepEqual(lines, ['a 0 begins', 'a 50 begins', 'a 70 ends'])
})

test('messages for a crashed peer are lost, also those that would arrive when it has begun anew', async (t) => {
  const { lines } = await run(
    [
      { at: 15, kind: 'crash', peer: b },
      { at: 45, kind: 'restart', peer: b }
    ],
    ticking
  )
  t.deepEqual(lines, ['b 10 0', 'b 60 5'])
})

test('a message in flight to a peer that crashes does not reach its next incarnation', async (t) => {
  for (const kind of ['stream', 'partition'] as const) {
    // Sent at 20, would arrive at 30; or at 40, when the partition heals.
    const crash: FaultEvent[] = [
      { at: 22, kind: 'crash', peer: b },
      { at: 28, kind: 'restart', peer: b }
    ]
    const cut: FaultEvent[] = [{ at: 15, kind: 'partition', groups: [[a], [b]] }, ...crash, { at: 39, kind: 'heal' }]
    const { lines } = await run(kind === 'stream' ? crash : cut, ticking)
    const before = kind === 'stream' ? ['b 10 0', 'b 20 1'] : ['b 10 0']
    t.deepEqual(lines, [...before, 'b 40 3', 'b 50 4', 'b 60 5'], kind)
  }
})

test('what an earlier incarnation of the sender sent does not come in the name of the next', async (t) => {
  const events: FaultEvent[] = [
    { at: 22, kind: 'crash', peer: a },
    { at: 28, kind: 'restart', peer: a }
  ]
  let starts = 0
  const { lines } = await run(events, async (fabric, log) => {
    if (fabric.self !== a) return ticking(fabric, log)
    const incarnation = ++starts
    for (let k = 0; k < 3; k++) {
      fabric.send(b, 10 * incarnation + k)
      await fabric.sleep(fabric.now() + 10)
    }
  })
  t.deepEqual(lines, ['b 10 10', 'b 20 11', 'b 38 20', 'b 48 21', 'b 58 22'])
})

test('who is frozen neither computes nor answers, and what came is there at the thaw', async (t) => {
  const { lines } = await run(
    [
      { at: 15, kind: 'freeze', peer: b },
      { at: 48, kind: 'thaw', peer: b }
    ],
    ticking
  )
  t.deepEqual(lines, ['b 10 0', 'b 48 1', 'b 48 2', 'b 48 3', 'b 50 4', 'b 60 5'])
})

test('computing takes longer by the time that its machine is frozen', async (t) => {
  for (const [thaw, end] of [
    [50, 130],
    [500, 580]
  ]) {
    const events: FaultEvent[] = [
      { at: 20, kind: 'freeze', peer: a },
      { at: thaw, kind: 'thaw', peer: a }
    ]
    const { lines } = await run(events, async (fabric, log) => {
      if (fabric.self !== a) return
      await fabric.work({ kind: 'gradient', samples: 1, run: () => 0 })
      log('done')
    })
    t.deepEqual(lines, [`a ${end} done`])
  }
})

const cutOff: FaultEvent[] = [
  { at: 15, kind: 'partition', groups: [[a], [b, c]] },
  { at: 45, kind: 'heal' }
]

test('a stream holds back what a partition stops until it heals; datagrams are lost', async (t) => {
  const stream = await run(cutOff, ticking)
  t.deepEqual(stream.lines, ['b 10 0', 'b 45 1', 'b 45 2', 'b 45 3', 'b 50 4', 'b 60 5'])
  const datagrams = await run(cutOff, ticking, { network: { ...rawNetwork, transport: 'datagram' } })
  t.deepEqual(datagrams.lines, ['b 10 0', 'b 50 4', 'b 60 5'])
})

test('within a group, and for who is in none, a partition stops nothing', async (t) => {
  for (const groups of [[[a, b], [c]], [[a], [c]], [[b], [c]], [[c]]]) {
    const { lines } = await run([{ at: 0, kind: 'partition', groups }], ticking)
    t.is(lines.length, 6, JSON.stringify(groups))
  }
})

test('a clogged connection holds back one direction', async (t) => {
  const there: FaultEvent[] = [
    { at: 15, kind: 'clog', from: a, to: b },
    { at: 33, kind: 'unclog', from: a, to: b }
  ]
  t.deepEqual((await run(there, ticking)).lines, ['b 10 0', 'b 33 1', 'b 33 2', 'b 40 3', 'b 50 4', 'b 60 5'])
  const back: FaultEvent[] = [{ at: 15, kind: 'clog', from: b, to: a }]
  t.is((await run(back, ticking)).lines[1], 'b 20 1')
})

test('who joins late begins late, and who leaves is told to stop', async (t) => {
  const events: FaultEvent[] = [
    { at: 20, kind: 'join', peer: b },
    { at: 35, kind: 'leave', peer: b }
  ]
  const { lines } = await run(events, async (fabric, log) => {
    if (fabric.self !== b) return
    log('begins')
    try {
      await fabric.sleep(1000)
    } finally {
      log('leaves')
    }
  })
  t.deepEqual(lines, ['b 20 begins', 'b 35 leaves'])
})

test('who is told to stop while it computes goes on with something else, and is not woken when that would have been done', async (t) => {
  const events: FaultEvent[] = [{ at: 50, kind: 'leave', peer: b }]
  const { lines } = await run(events, async (fabric, log) => {
    if (fabric.self === a) await fabric.sleep(300)
    if (fabric.self !== b) return
    await Promise.resolve(fabric.work({ kind: 'sum', samples: 1, run: () => 1 })).catch(() => log('leaves'))
    await Promise.resolve(fabric.receive()).catch(() => log('ends'))
  })
  t.deepEqual(lines, ['b 50 leaves', 'b 50 ends'])
})

test('after a time limit all are told to stop', async (t) => {
  const { time } = await run([], async (fabric) => fabric.sleep(1000), { until: 77 })
  t.is(time, 77)
})

test('drawn faults begin in time, all end, and the same random numbers give the same', (t) => {
  const draw = { crashes: 3, freezes: 3, partitions: 2, clogs: 2, within: 1000 }
  const peers: PeerName[] = [a, b, c]
  const faults = drawFaults(createRandom(5, 'faults'), peers, draw)
  t.deepEqual(faults, drawFaults(createRandom(5, 'faults'), peers, draw))
  t.is(faults.events.length, 20)
  t.true(faults.events.every(({ at }, k) => at <= 1100 && (k === 0 || at >= faults.events[k - 1].at)))
  const count = (kind: string) => faults.events.filter((event) => event.kind === kind).length
  t.deepEqual([count('crash'), count('restart'), count('thaw'), count('heal'), count('unclog')], [3, 3, 3, 2, 2])
})

test('two peers are enough for drawn faults, one is not', (t) => {
  const draw = { crashes: 1, freezes: 1, partitions: 1, clogs: 1, within: 100 }
  t.is(drawFaults(createRandom(1), [a, b], draw).events.length, 8)
  t.throws(() => drawFaults(createRandom(1), [a], draw), { name: 'InputError', message: /at least two peers/ })
})
