/**
 * What notes cost, and how soon a killed process is known:
 * `node packages/libp2p/bench/notes.mjs [peers] [seconds] [bytes]`.
 *
 * Starts so many peers, each in a process of its own, in a ring. In turns they tell each other nothing, or a note of so
 * many bytes twice a second: everybody, up to 16 peers, else the 8 that follow. Prints the processor time of a peer per
 * second in each turn. Then, of up to 16, one is killed, and the others say when they are told that its machine
 * refuses.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

async function measure(count, seconds, bytes) {
  const names = Array.from({ length: count }, (_, index) => `p${String(index).padStart(3, '0')}`)
  const children = names.map((name) => ({
    name,
    process: fork(fileURLToPath(import.meta.url)),
    inbox: [],
    waiting: []
  }))
  for (const child of children) {
    child.process.on('message', (message) => (child.waiting.shift() ?? ((got) => child.inbox.push(got)))(message))
    child.process.send({ name: child.name, names, bytes })
  }
  const next = ({ inbox, waiting }) =>
    inbox.length > 0 ? Promise.resolve(inbox.shift()) : new Promise((resolve) => waiting.push(resolve))
  const all = (what) => Promise.all(children.map((child) => (child.process.send(what), next(child))))
  const peerList = await Promise.all(children.map(next))
  await all(peerList)
  const medians = { off: [], on: [] }
  for (const turn of ['on', 'off', 'on', 'off', 'on', 'off', 'on']) {
    await all(turn)
    // The links of the first notes are built first.
    await pause(medians.on.length === 0 ? 10_000 : 1000)
    const before = await all('cpu')
    await pause(1000 * seconds)
    const after = await all('cpu')
    const used = after.map(({ cpu }, index) => (cpu - before[index].cpu) / seconds)
    const told = after.reduce((sum, { heard }, index) => sum + heard - before[index].heard, 0) / count / seconds
    medians[turn].push(median(used))
    console.log(
      `${turn}: ${median(used).toFixed(2)} ms of processor time per second and peer (most ${Math.max(...used).toFixed(2)}); ${told.toFixed(1)} notes heard per second`
    )
  }
  console.log(`notes take ${(median(medians.on.slice(1)) - median(medians.off)).toFixed(2)} ms per second and peer`)
  if (count <= 16) await killOne(children, next)
  for (const child of children) child.process.kill('SIGKILL')
}

async function killOne(children, next) {
  const [victim, ...others] = children
  const killed = Date.now()
  victim.process.kill('SIGKILL')
  const known = await Promise.all(others.map(next))
  const waits = known.map(({ at }) => at - killed).sort((left, right) => left - right)
  console.log(
    `refused, of ${waits.length}: after ${waits[0]} ms at first, ${median(waits)} in the median, ${waits.at(-1)} at last`
  )
}

async function serve({ name, names, bytes }) {
  const { createIdentity, createPeer } = await import('@murmuration/libp2p')
  const place = names.indexOf(name)
  const around = (step) => names[(place + step + names.length) % names.length]
  const both = [around(-1), around(1)].map((neighbour) => ({ name: neighbour, weight: 1 / 3 }))
  const identity = await createIdentity()
  const peer = await createPeer({
    self: name,
    identity,
    topology: {
      peers: [...names].sort(),
      period: 1,
      mixing: () => ({ selfWeight: 1 / 3, receiveFrom: both, sendTo: both })
    },
    seed: 1,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    runSettings: { settings: { run: 'bench' }, schema: [{ name: 'x', shape: [8] }], start: '' }
  })
  let heard = 0
  let hasRefused = false
  peer.fabric.listen({
    note: () => void heard++,
    heard: () => {},
    refused: () => {
      if (!hasRefused) process.send({ at: Date.now() })
      hasRefused = true
    }
  })
  const contacts = names.length <= 16 ? names.filter((other) => other !== name) : [1, 2, 3, 4, 5, 6, 7, 8].map(around)
  let turn = 0
  const tell = (own) => {
    if (turn !== own) return
    for (const contact of contacts) peer.fabric.tell(contact, 'x'.repeat(bytes))
    setTimeout(() => tell(own), 500)
  }
  process.on('message', async (order) => {
    if (Array.isArray(order)) await peer.connect(order, 600_000)
    if (order === 'on' || order === 'off') turn++
    if (order === 'on') tell(turn)
    const { user, system } = process.cpuUsage()
    process.send({ cpu: (user + system) / 1000, heard })
  })
  process.on('disconnect', () => process.exit())
  process.send({ name, id: identity.id, addresses: peer.addresses })
}

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time))

function median(values) {
  return [...values].sort((left, right) => left - right)[values.length >> 1]
}

if (process.send === undefined)
  await measure(Number(process.argv[2] ?? 8), Number(process.argv[3] ?? 20), Number(process.argv[4] ?? 500))
else process.once('message', serve)
