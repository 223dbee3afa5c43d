/**
 * What it costs that peers find each other by a seed, ours against libp2p's Kademlia DHT, in turns, all nodes in one
 * process.
 *
 *     npm install --no-save @libp2p/kad-dht@16.4.5 @libp2p/identify@4.1.14 @libp2p/ping@3.1.13
 *     node packages/libp2p/bench/discovery.mjs [PEERS] [REPEATS]
 */
import '../dist/node/polyfill.js'
import { noise } from '@chainsafe/libp2p-noise'
import { tcp } from '@libp2p/tcp'
import { yamux } from '@libp2p/yamux'
import { multiaddr } from '@multiformats/multiaddr'
import { createLibp2p } from 'libp2p'
import { defaultLimits } from '../dist/base/constants.js'
import { askForAddresses } from '../dist/discovery/introductions.js'
import { signAddresses } from '../dist/addresses/signed-addresses.js'
import { createIdentity, openSeed } from '../dist/index.js'
import { createNode } from '../dist/node/node.js'

const peers = Number(process.argv[2] ?? 8)
const repeats = Number(process.argv[3] ?? 3)
const listen = ['/ip4/127.0.0.1/tcp/0']
const pause = () => new Promise((resolve) => setTimeout(resolve, 50))

/** Each tells a seed where it is, and asks until it knows where all others are. */
async function ours() {
  const seed = await openSeed({ identity: await createIdentity(), listen })
  const identities = await Promise.all(Array.from({ length: peers }, createIdentity))
  const nodes = await Promise.all(identities.map((identity) => createNode({ identity, listen, limits: defaultLimits })))
  await Promise.all(nodes.map((node) => node.start()))
  const stop = () => Promise.all([seed.close(), ...nodes.map((node) => node.stop())])
  const find = async (node, place) => {
    const others = identities.filter((_, other) => other !== place).map(({ id }) => id)
    const record = await signAddresses(identities[place], node.getMultiaddrs().map(String))
    for (;;) {
      const connection = await node.dial(multiaddr(seed.addresses[0]))
      const { records } = await askForAddresses(connection, { run: 'a run of the bench', record, wanted: others }, 5000)
      if (records.length === others.length) return
      await pause()
    }
  }
  return { stop, all: () => Promise.all(nodes.map(find)) }
}

/** Each joins the DHT by a seed, and looks for the id of each other until it has an address. */
async function kademlia() {
  const [{ kadDHT, passthroughMapper }, { identify }, { ping }] = await Promise.all(
    ['@libp2p/kad-dht', '@libp2p/identify', '@libp2p/ping'].map((name) => import(name))
  )
  const dht = () => kadDHT({ protocol: '/murmuration/kad/1', clientMode: false, peerInfoMapper: passthroughMapper })
  const create = () =>
    createLibp2p({
      addresses: { listen },
      transports: [tcp()],
      connectionEncrypters: [noise()],
      streamMuxers: [yamux()],
      connectionManager: { inboundConnectionThreshold: 1000 },
      services: { identify: identify(), ping: ping(), dht: dht() }
    })
  const seed = await create()
  const nodes = await Promise.all(Array.from({ length: peers }, create))
  const stop = () => Promise.all([seed, ...nodes].map((node) => node.stop()))
  const find = async (node) => {
    await node.dial(seed.getMultiaddrs()[0])
    for (const other of nodes.filter((each) => each !== node)) {
      for (;;) {
        const found = await node.peerRouting
          .findPeer(other.peerId, { signal: AbortSignal.timeout(10_000) })
          .catch(() => {})
        if (found !== undefined && found.multiaddrs.length > 0) break
        await pause()
      }
    }
  }
  return { stop, all: () => Promise.all(nodes.map(find)) }
}

for (let repeat = 0; repeat < repeats; repeat++) {
  for (const [name, prepare] of Object.entries({ ours, kademlia })) {
    const { stop, all } = await prepare()
    const began = performance.now()
    const cpu = process.cpuUsage()
    await all()
    const { user, system } = process.cpuUsage(cpu)
    const time = `${Math.round(performance.now() - began)} ms`
    console.log(
      `${name.padEnd(9)} ${peers} peers: all know all after ${time}, ${Math.round((user + system) / 1000 / peers)} ms of processor time per peer`
    )
    await stop()
  }
}
process.exit()
