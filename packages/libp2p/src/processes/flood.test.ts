/** The memory that floods of an admitted neighbour, in a separate process, cost its victim: in total and at a time. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { type TestNode, testNode, eventually, graph, peerListOf, schemaOf } from '../cluster.test.support.js'
import type { Progress } from './hostile-neighbour.test.support.js'
import { behindLength } from '../hostile.test.support.js'
import { createIdentity, encodeIdentity } from '../base/identity.js'

const b = peerName('b')
const m = peerName('m')
const MiB = 1 << 20

/** Admits a flooder again at once, so that it floods continuously. */
const limits = { initialShutOut: 1, maxShutOut: 1, maxBackoff: 20 }

const tcp = '/ip4/127.0.0.1/tcp/0'
const webrtc = '/ip4/127.0.0.1/udp/0/webrtc-direct'

/** A peer "a" with these neighbours, and the neighbour "m" that attacks it. */
async function flooded(
  t: ExecutionContext,
  attacks: readonly string[],
  elements: number,
  { listen = tcp, others = [] }: { readonly listen?: string; readonly others?: readonly TestNode[] } = {}
) {
  const edges = [...others.map(({ name }) => name), m].map((name) => ['a', name] as const)
  const runSettings = { settings: { run: 'test' }, start: '00', schema: schemaOf(elements) }
  const victim = await testNode(t, graph(...edges), 'a', { limits, runSettings, listen: [listen] })
  const identity = await createIdentity()
  const child = fork(fileURLToPath(new URL('./hostile-neighbour.test.support.js', import.meta.url)))
  t.teardown(() => child.kill('SIGKILL'))
  const count = { made: 0 }
  child.on('message', ({ made }: Progress) => (count.made = made))
  child.send({ name: m, key: encodeIdentity(identity), victims: victim.peer.addresses.slice(0, 1), attacks })
  child.send('go')
  const peerList = [...peerListOf([victim, ...others]), { name: m, id: identity.id, addresses: [] }]
  const connecting = [victim, ...others].map(({ peer }) => peer.connect(peerList, timeLimit(20_000)))
  // A neighbour that floods at once may never be ready.
  for (const each of connecting) each.catch(() => {})
  return { victim, count }
}

/** Memory in use after a garbage collection. */
function inUse(): number {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

for (const [flood, way, listen] of [
  ['flood of vectors', 'TCP', tcp],
  ['flood of pings whose answers are not read', 'TCP', tcp],
  ['flood of vectors', 'WebRTC', webrtc],
  ['flood of pings whose answers are not read', 'WebRTC', webrtc]
] as const) {
  test.serial(`a ${flood} of 256 MiB over ${way} takes less than 24 MiB of memory`, async (t) => {
    const before = inUse()
    const { victim, count } = await flooded(t, [flood], 1 << 16, { listen })
    await eventually('a flood', () => count.made > 0)
    const growth = inUse() - before
    t.true(growth < 24 * MiB, `${Math.round(growth / MiB)} MiB`)
    t.true(victim.peer.neighbours()[0].traffic.received.overhead < 32 * MiB)
  })
}

test.serial('however many pings arrive at once, few are handled per turn, and rounds continue', async (t) => {
  const honest = await testNode(t, graph(['a', 'b']), 'b', { limits })
  const { victim, count } = await flooded(t, ['pings'], 8, { others: [honest] })
  const status = () => victim.peer.neighbours().find(({ name }) => name === m)
  const handled = () => status()?.traffic.received.overhead ?? 0
  let most = 0
  let last = 0
  let isOver = false
  const watch = () => {
    most = Math.max(most, handled() - last)
    last = handled()
    if (!isOver) setImmediate(watch)
  }
  watch()
  for (let round = 0; round < 5; round++) {
    const { made } = count
    await eventually('another flood', () => count.made > made)
    await eventually(
      'a place in the queue',
      () => honest.peer.fabric.send(peerName('a'), { kind: 0, round, vector: new Float32Array(8) }) === 'queued'
    )
    t.like(await victim.peer.fabric.receive(), { from: b, message: { round } })
  }
  isOver = true
  const ping = behindLength({ kind: 'ping', at: 0, padding: '' }).length
  t.true(most < 600 * ping, `${most / ping} pings in one turn`)
  await eventually('a fault', () => status()?.faults.kinds.flood)
})
