/**
 * How long peers of one process, all neighbours of all, take until all are ready:
 *
 *     node packages/libp2p/bench/mesh.mjs [PEERS…]
 */
import { peerName } from '@murmuration/core'
import { createTopology } from '@murmuration/topology'
import { createIdentity, createPeer } from '../dist/index.js'

const runSettings = { settings: { run: 'bench' }, schema: [{ name: 'weights', shape: [8] }], start: '00' }

async function mesh(count) {
  const names = Array.from({ length: count }, (_, place) => peerName(`p${place}`))
  const topology = createTopology({ peers: names, graph: { kind: 'complete' } })
  const peers = await Promise.all(
    names.map(async (self) => {
      const identity = await createIdentity()
      return createPeer({
        self,
        identity,
        topology,
        seed: 1,
        listen: ['/ip4/127.0.0.1/tcp/0'],
        runSettings,
        onEvent: () => {}
      })
    })
  )
  const list = peers.map(({ id, addresses }, place) => ({ name: names[place], id, addresses }))
  const start = performance.now()
  const processor = process.cpuUsage()
  await Promise.all(peers.map((peer) => peer.connect(list, 300_000)))
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(processor)
  const used = (user + system) / 1e6
  await Promise.all(peers.map((peer) => peer.close()))
  const pairs = (count * (count - 1)) / 2
  console.log(
    `${count} peers: ready after ${seconds.toFixed(1)} s; ${used.toFixed(1)} s of processor time, ${((1000 * used) / pairs).toFixed(1)} ms a pair`
  )
}

const counts = process.argv.slice(2).map(Number)
for (const count of counts.length > 0 ? counts : [16, 32, 64]) await mesh(count)
process.exit(0)
