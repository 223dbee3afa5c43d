// The accuracy of `murmur measure`: two real peers in this process, over links that are shaped to given rates and
// latencies. For each, prints the measured value divided by the link's: the rate of vectors, which excludes frame
// headers, TLS and multiplexing, and half of the round trip.
//
//   node packages/experiment/bench/measure.mjs
import { mkdtemp, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { peerName } from '@murmuration/core'
import { createIdentity } from '@murmuration/libp2p'
import { readLinksFile } from '@murmuration/files'
import Table from 'cli-table3'
import { measureLinks } from '../dist/measuring/index.js'

const folder = await mkdtemp(join(tmpdir(), 'measure-'))
const names = ['a', 'b'].map(peerName)
const { signal } = new AbortController()
const table = new Table({
  head: ['line', 'latency', 'rate of it', 'latency found', 'processor s'],
  style: { head: [] }
})

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

for (const mbit of [1, 5, 20, 100, 300]) {
  for (const ms of [1, 10, 50, 150]) {
    const identities = [await createIdentity(), await createIdentity()]
    const ports = [await freePort(), await freePort()]
    const entries = names.map((name, place) => `{ name: ${name}, id: ${identities[place].id}, addresses: [/ip4/127.0.0.1/tcp/${ports[place]}] }`) // oxfmt-ignore
    const topology = join(folder, 'topology.yaml')
    const slow = join(folder, 'links.yaml')
    await writeFile(topology, `graph: ring\npeers: [${entries.join(', ')}]\n`)
    await writeFile(slow, `default: { bandwidth: ${mbit} Mbit/s, latency: ${ms} ms }\n`)
    const links = await readLinksFile(slow, names)
    const before = process.cpuUsage()
    const found = await Promise.all(
      names.map((as, place) => measureLinks(topology, { as, identity: identities[place], links, wait: 60_000, signal, emit: () => {} })) // oxfmt-ignore
    )
    const { user, system } = process.cpuUsage(before)
    const rates = found.map(({ pairs: [{ bandwidth }] }) => `${((100 * bandwidth) / (1e6 * mbit)).toFixed(1)} %`)
    const latencies = found.map(({ pairs: [{ latency }] }) => `${latency.toFixed(1)} ms`)
    table.push([
      `${mbit} Mbit/s`,
      `${ms} ms`,
      rates.join(', '),
      latencies.join(', '),
      ((user + system) / 1e6).toFixed(1)
    ])
  }
}
console.log(table.toString())
