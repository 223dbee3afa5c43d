/**
 * The cost of watching: `node packages/experiment/bench/watching.mjs [peers] [seconds]`.
 *
 * The peer that watches is one process, all others are another. They are members of one swarm on a ring, and do not
 * train. First no peer watches, then one does, with its page open. Prints, per second, processor time and bytes of
 * notes about watching, for the watching peer and for one of the others; and the number of peers that have reported in
 * the last three seconds.
 */
import { fork } from 'node:child_process'
import { get } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Members } from '@murmuration/algorithms'
import { createIdentity, createPeer } from '@murmuration/libp2p'
import { Watching } from '../dist/peers/watching/watching.js'

const settings = { settings: { run: 'bench' }, schema: [{ name: 'x', shape: [8] }], start: '' }

function topologyOf(names) {
  const around = (place) =>
    [names.at(place - 1), names[(place + 1) % names.length]].map((name) => ({ name, weight: 1 / 3 }))
  const mixing = (name) => {
    const both = around(names.indexOf(name))
    return { selfWeight: 1 / 3, receiveFrom: both, sendTo: both }
  }
  return { peers: names, period: 1, mixing }
}

async function peerOf(self, names) {
  const topology = topologyOf(names)
  const listen = ['/ip4/127.0.0.1/tcp/0']
  const peer = await createPeer({
    self,
    identity: await createIdentity(),
    topology,
    seed: 1,
    listen,
    runSettings: settings
  })
  const told = { bytes: 0 }
  const { fabric } = peer
  const tell = (to, note) => {
    told.bytes += note.length
    fabric.tell(to, note)
  }
  const own = {
    self,
    tell,
    now: () => fabric.now(),
    listen: (listener) => fabric.listen(listener),
    spawn: (act) => fabric.spawn(act)
  }
  const figures = { neighbours: () => peer.neighbours(), traffic: () => peer.traffic(), sendingTime: 0 }
  const watching = new Watching({ fabric: own, ...figures }, { file: { topology }, options: { servers: [] } })
  return { self, peer, told, watching, topology, entry: { name: self, id: peer.id, addresses: peer.addresses } }
}

function begin({ peer, watching, topology }, peerList) {
  const wait = { start: 600_000, pause: 600_000 }
  const members = new Members(peer.fabric, { topology, signer: peer.signer, others: watching, wait })
  peer.meet(peerList)
  watching.begin(members)
}

const cost = (peers) => {
  const { user, system } = process.cpuUsage()
  return { cpu: (user + system) / 1000, told: peers.reduce((sum, { told }) => sum + told.bytes, 0) }
}

async function others() {
  const peers = []
  process.on('message', async ({ names, peerList }) => {
    if (names !== undefined) {
      for (const name of names.slice(1)) peers.push(await peerOf(name, names))
      return process.send(peers.map(({ entry }) => entry))
    }
    if (peerList !== undefined) for (const peer of peers) begin(peer, peerList)
    process.send(cost(peers))
  })
}

async function measure(count, seconds) {
  const names = Array.from({ length: count }, (_, place) => `p${String(place).padStart(3, '0')}`)
  const child = fork(fileURLToPath(import.meta.url), ['others'])
  const ask = (message) => new Promise((resolve) => (child.once('message', resolve), child.send(message)))
  const entries = await ask({ names })
  const own = await peerOf(names[0], names)
  const peerList = [own.entry, ...entries]
  begin(own, peerList)
  await ask({ peerList })
  await pause(30_000)
  const facts = {
    self: names[0],
    peers: names,
    servers: [],
    topology: 'ring',
    algorithm: '',
    rounds: 1,
    finalRounds: 0,
    about: {}
  }
  let reporting = 0
  for (const turn of ['off', 'on']) {
    if (turn === 'on') {
      const url = await own.watching.serve({ host: '127.0.0.1', port: 0 }, facts)
      get(`${url}events`, (page) => page.on('data', (data) => (reporting = fresh(String(data)) ?? reporting)))
      await pause(20_000)
    }
    for (let time = 0; time < 3; time++) {
      const before = [cost([own]), await ask({})]
      await pause(1000 * seconds)
      const after = [cost([own]), await ask({})]
      const row = ['cpu', 'told'].map((what) =>
        [0, 1].map((which) => (after[which][what] - before[which][what]) / seconds / (which === 0 ? 1 : count - 1))
      )
      const [cpu, told] = row.map((pair) => pair.map((value) => value.toFixed(value < 100 ? 2 : 0)).join(' / '))
      console.log(`${turn}: watcher / one of the others: ${cpu} ms, ${told} B told a second; ${reporting} report`)
    }
  }
  child.kill('SIGKILL')
  process.exit()
}

/** How many peers have reported in the last 3 s, from an event of the page; undefined for a chunk without ages. */
function fresh(text) {
  const ages = [...text.matchAll(/"age":([\d.]+)/g)].map(([, age]) => Number(age))
  return ages.length === 0 ? undefined : ages.filter((age) => age < 3).length
}

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time))

if (process.argv[2] === 'others') await others()
else await measure(Number(process.argv[2] ?? 64), Number(process.argv[3] ?? 20))
