/**
 * `murmur peer` next to a hostile neighbour of the topology file: the run ends well, and its summary says which peer
 * did what.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { timeLimit } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import { localIdentity } from '@murmuration/libp2p'
import test, { type ExecutionContext } from 'ava'
import type { RunEvent } from '@murmuration/experiment'
import { identityDirectory, runPeerCommand } from '@murmuration/experiment/peers'
import { lineOf } from '../output/texts.js'

const honest = ['a', 'b'].map(peerName)
const m = peerName('m')

/** A port that was free just before. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The files of a run of three peers, all on this machine, and the addresses of the honest ones. */
async function filesOf(folder: string) {
  const addresses = await Promise.all([...honest, m].map(async () => `/ip4/127.0.0.1/tcp/${await freePort()}`))
  const lines = [...honest, m].map((name, place) => `  - { name: ${name}, addresses: [${addresses[place]}] }`)
  const topology = join(folder, 'topology.yaml')
  const train = join(folder, 'training.yaml')
  await writeFile(topology, `graph: complete\npeers:\n${lines.join('\n')}\n`)
  await writeFile(
    train,
    // The hostile peer sends no state of its own, and the others wait for it only 10 s: it must attack within that
    // time.
    'data: { digits: 100 }\ntask: softmax\nrounds: 5\nbatch: 4\ntimeout: 20 s\nconsensusTolerance: 0.1\nmembership: { quorum: 2, startWithin: 10 s }\n'
  )
  return { request: { topology, train }, victims: addresses.slice(0, honest.length) }
}

/**
 * Starts the hostile neighbour: it skips vectors, sends a goodbye together with the first vector, and continues.
 * Returns a function that starts its attack, and one that slows it down.
 */
async function mallory(t: ExecutionContext, victims: readonly string[]) {
  const file = new URL('../../../libp2p/dist/processes/hostile-neighbour.test.support.js', import.meta.url)
  await localIdentity(identityDirectory(), m)
  const key = await readFile(join(identityDirectory(), `${m}.key`), 'utf8')
  const child = fork(fileURLToPath(file))
  t.teardown(() => child.kill('SIGKILL'))
  child.send({ name: m, key, victims, attacks: ['gap', 'goodbye and first vector'] })
  return { go: () => child.send('go'), slowDown: () => child.send('slowly') }
}

test('peers finish beside a neighbour that sends wrong frames, and their summaries say what it did', async (t) => {
  process.env.MURMURATION_HOME = await mkdtemp(join(tmpdir(), 'murmur-hostile-'))
  const { request, victims } = await filesOf(process.env.MURMURATION_HOME)
  const { go, slowDown } = await mallory(t, victims)
  const ready = new Set<string>()
  const seen = new Set<string>()
  const emit = (event: RunEvent) => {
    if (event.kind === 'neighbour' && event.neighbour === m && event.state === 'ready') {
      if (ready.add(event.peer).size === honest.length) go()
    } else if (event.kind === 'note') {
      const [noticed] = /^\w+: m is at fault \(gap|^\w+ refuses m for/.exec(event.text) ?? []
      if (noticed !== undefined && seen.add(noticed).size === 2 * honest.length) slowDown()
    }
  }
  const { signal } = new AbortController()
  const run = { wait: timeLimit(60_000), emit, signal }
  const summaries = await Promise.all(honest.map((as) => runPeerCommand(request, { ...run, as })))
  for (const summary of summaries) {
    const [{ sender, to, kinds, cutOff }, ...others] = summary.faults
    t.deepEqual([sender, to, others.length], [m, [summary.peer], 0])
    t.true((kinds.gap ?? 0) > 0 && cutOff > 0)
    t.regex(lineOf(summary), new RegExp(`at fault: m +.*gap \\d+.*; cut off .*sent to ${summary.peer}`))
  }
})
