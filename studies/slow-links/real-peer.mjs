// The process of one peer of real.mjs: trains over libp2p, on links that are shaped, and keeps its model after each
// step.
import { Buffer } from 'node:buffer'
import { writeFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { train } from '@murmuration/algorithms'
import { peerName } from '@murmuration/core'
import { createIdentity, createPeer } from '@murmuration/libp2p'
import { uniformLinks } from '@murmuration/simulator'
import { settingsOf, topologyFor } from './engine.mjs'
import { tensorflowTask } from './tensorflow-tasks.mjs'

/** So many gradients are computed before the start, until the code is compiled. */
const warmUps = 60
/** How long others may take to be ready, in milliseconds. */
const timeout = 300_000

/** When something happens on this machine, in ms, in all its processes alike. */
const now = () => performance.timeOrigin + performance.now()

/** A task whose gradients take `ms`, however long they take to compute; what one takes longer, the next takes less. */
function paced(task, ms) {
  let late = 0
  const gradient = (x, batch, round) => {
    const work = task.gradient(x, batch, round)
    return {
      ...work,
      async run() {
        const due = now() + ms - late
        const result = await work.run()
        await setTimeout(Math.max(0, due - now()))
        late = Math.min(ms, now() - due)
        return result
      }
    }
  }
  const { schema, samples, about } = task
  return {
    schema,
    samples,
    about,
    gradient,
    initialise: (seed) => task.initialise(seed),
    evaluate: (x) => task.evaluate(x)
  }
}

const waiting = new Map()
/** Resolves with the next message of a kind. */
const told = (kind) => new Promise((resolve) => waiting.set(kind, resolve))
process.on('disconnect', () => process.exit())
process.on('message', (message) => waiting.get(message.kind)?.(message))

async function runPeer(task, { self, method, seed, setup, cell, rounds, models: file }) {
  const { peers, batch } = setup
  const topology = topologyFor(peers, method.graph ?? { kind: 'ring' })
  const settings = { ...settingsOf({ method, topology, peers, seed, batch, rounds }), timeout }
  const peer = await createPeer({
    self,
    identity: await createIdentity(),
    topology,
    reach: settings.algorithm.needs.reach,
    seed,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    runSettings: { settings: { run: 'slow-links' }, schema: task.schema, start: 'the same seed' },
    links: uniformLinks(cell),
    codec: method.codec ?? 'float32'
  })
  process.send({ kind: 'listening', entry: { name: self, id: peer.id, addresses: peer.addresses } })
  await peer.connect((await told('peerList')).peerList, timeout)
  process.send({ kind: 'ready' })
  const { at } = await told('go')
  await setTimeout(at - now())
  const times = []
  const models = []
  for await (const { parameters } of train(peer.fabric, paced(task, cell.perStep * (cell.slow[self] ?? 1)), settings)) {
    times.push(now() - at)
    models.push(parameters.slice())
  }
  await writeFile(file, Buffer.concat(models.map(({ buffer }) => Buffer.from(buffer))))
  process.send({ kind: 'trained', times })
  await told('end')
  await peer.close()
  process.send({ kind: 'ended' })
}

const first = told('run')
process.send({ kind: 'loaded' })
let run = await first
const self = peerName(run.self)
const task = await tensorflowTask({ peers: run.setup.peers, seed: run.seed, ...run.setup.data, self })
const x = await task.initialise(run.seed).run()
const some = Uint32Array.from({ length: run.setup.batch }, (_, k) => k)
for (let k = 0; k < warmUps; k++) await task.gradient(x, some, 0).run()
for (;;) {
  const next = told('run')
  await runPeer(task, { ...run, self })
  run = await next
}
