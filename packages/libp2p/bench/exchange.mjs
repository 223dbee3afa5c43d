/**
 * How fast two processes exchange vectors, both ways at once, through this package and through a bare TCP socket next to it.
 *
 *     npx tsc -b packages/libp2p && node packages/libp2p/bench/exchange.mjs [repeats]
 *
 * The figures are the sum of both directions. The two kinds take turns, and the ratio is taken within each turn, because
 * machines differ from minute to minute more than the kinds differ from each other.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { createIdentity, createPeer } from '../dist/index.js'

const sizes = [
  { elements: 25_000_000, rounds: 4 },
  { elements: 2_500_000, rounds: 20 },
  { elements: 100_000, rounds: 200 }
]

const names = ['a', 'b']
const other = (self) => names.find((name) => name !== self)
const topology = {
  peers: names,
  period: 1,
  mixing: (self) => ({ selfWeight: 0.5, receiveFrom: [{ name: other(self), weight: 0.5 }], sendTo: [other(self)] })
}

/** One peer of the pair; `tell` and `ask` reach the other process. */
async function exchangeThroughPeer(self, elements, rounds, tell, ask) {
  const terms = { run: 'bench', algorithm: 'none', schema: [{ name: 'weights', shape: [elements] }], start: '' }
  const identity = await createIdentity()
  const peer = await createPeer({ self, identity, topology, seed: 1, listen: ['/ip4/127.0.0.1/tcp/0'], terms })
  const own = { name: self, id: peer.id, addresses: peer.addresses }
  tell(own)
  await peer.connect([own, await ask()], 20_000)
  const vector = new Float32Array(elements).fill(1.25)
  const pass = async (round) => {
    peer.fabric.send(other(self), { kind: 1, round, vector })
    const envelope = await peer.fabric.receive(peer.fabric.now() + 60_000)
    if (envelope === undefined) throw new Error('nothing came')
    peer.fabric.recycle(envelope.message)
  }
  const took = await timed(pass, rounds)
  await peer.close()
  return took
}

/** The same over one TCP socket: no frames, no checks, one buffer to read into. */
async function exchangeThroughSocket(self, elements, rounds, tell, ask) {
  const socket = await open(self, tell, ask)
  const bytes = new Uint8Array(new Float32Array(elements).fill(1.25).buffer)
  const target = new Uint8Array(bytes.byteLength)
  let filled = 0
  let complete = () => {}
  socket.on('data', (piece) => {
    for (let rest = piece; rest.byteLength > 0;) {
      const part = rest.subarray(0, target.byteLength - (filled % target.byteLength))
      target.set(part, filled % target.byteLength)
      filled += part.byteLength
      rest = rest.subarray(part.byteLength)
    }
    complete()
  })
  const pass = async (round) => {
    for (let offset = 0; offset < bytes.byteLength; offset += 1 << 20) {
      if (!socket.write(bytes.subarray(offset, offset + (1 << 20)))) await once(socket, 'drain')
    }
    while (filled < (round + 1) * bytes.byteLength) await new Promise((resolve) => (complete = resolve))
  }
  const took = await timed(pass, rounds)
  socket.end()
  return took
}

async function open(self, tell, ask) {
  if (self === 'b') {
    const socket = connect((await ask()).port, '127.0.0.1')
    await once(socket, 'connect')
    return socket.setNoDelay()
  }
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const connected = once(server, 'connection')
  tell({ port: server.address().port })
  const [socket] = await connected
  server.close()
  return socket.setNoDelay()
}

/** Milliseconds for `rounds` rounds, after a fifth as many to warm up. */
async function timed(pass, rounds) {
  const warm = Math.max(1, Math.round(rounds / 5))
  for (let round = 0; round < warm; round++) await pass(round)
  const start = performance.now()
  for (let round = warm; round < warm + rounds; round++) await pass(round)
  return performance.now() - start
}

const kinds = { peer: exchangeThroughPeer, socket: exchangeThroughSocket }

/** Runs the pair: this process is "a", a child is "b". */
async function pair(kind, { elements, rounds }) {
  const child = fork(new URL(import.meta.url).pathname, ['child', kind, String(elements), String(rounds)])
  const ask = async () => (await once(child, 'message'))[0]
  const answered = ask()
  const took = await kinds[kind](
    'a',
    elements,
    rounds,
    (message) => child.send(message),
    () => answered
  )
  await once(child, 'exit')
  return (2 * 4 * elements * rounds) / took / 1000
}

const median = (values) => values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)]

if (process.argv[2] === 'child') {
  const [kind, elements, rounds] = process.argv.slice(3)
  const heard = once(process, 'message')
  const ask = async () => (await heard)[0]
  await kinds[kind]('b', Number(elements), Number(rounds), (message) => process.send(message), ask)
  process.disconnect()
} else {
  const repeats = Number(process.argv[2] ?? 5)
  for (const size of sizes) {
    const speeds = { peer: [], socket: [] }
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const kind of Object.keys(kinds)) speeds[kind].push(await pair(kind, size))
    }
    const ratio = median(speeds.peer.map((speed, index) => speed / speeds.socket[index]))
    const [peer, socket] = [median(speeds.peer), median(speeds.socket)]
    const label = `${(4 * size.elements) / 1e6} MB`.padStart(7)
    process.stdout.write(
      `${label}: ${peer.toFixed(0)} MB/s, bare TCP ${socket.toFixed(0)} MB/s, ratio ${ratio.toFixed(2)}\n`
    )
  }
}
