/**
 * How many keys per second two peers access at each other. Two processes over libp2p on the loopback each hold half of
 * the rows. Each pulls a batch of rows of the other half, pushes updates to them, and so on, in several activities at
 * once.
 *
 *     node studies/remote-keys.mjs [seconds of each turn] [profile]
 *
 * Each key that is read or updated is an access. Prints accesses per second by the clock, and the estimate for two
 * otherwise idle cores: two seconds divided by the processor time of an access, asking and serving together. With
 * `profile`, also where that time is spent, by package.
 */
import { fork } from 'node:child_process'
import { Session } from 'node:inspector/promises'
import { fileURLToPath } from 'node:url'

const names = ['a', 'b']
const count = 100_000
const width = 17
const keyed = 8
/** Keys per batch, and batches in flight. */
const turns = [
  [1, 1],
  [1, 32],
  [16, 4],
  [128, 4],
  [1024, 4]
]

async function measure(seconds, isProfiled) {
  const children = names.map(() => fork(fileURLToPath(import.meta.url), ['peer']))
  for (const child of children)
    child.once('exit', (code) => {
      if (code !== 0) throw new Error(`a peer ended with code ${code}`)
    })
  const next = (child) => new Promise((resolve) => child.once('message', resolve))
  const all = async (what) => {
    const answers = children.map(next)
    for (const child of children) child.send(what)
    return Promise.all(answers)
  }
  const started = children.map(next)
  for (const [place, child] of children.entries()) child.send(names[place])
  await all(await Promise.all(started))
  for (const [batch, open] of turns) {
    await all({ batch, open, seconds: 0.5 })
    const figures = await all({ batch, open, seconds, isProfiled })
    const sum = (field) => figures.reduce((total, of) => total + of[field], 0)
    const each = (1000 * sum('processor')) / sum('accesses')
    const real = sum('accesses') / seconds
    const ideal = 2e6 / each
    const thousands = (value) => (value / 1000).toFixed(0).padStart(5)
    console.log(
      `${String(batch).padStart(4)} keys a batch, ${String(open).padStart(2)} batches at a time: ${thousands(real)} thousand accesses a second by the clock; ${each.toFixed(2)} µs each, ${thousands(ideal)} thousand on two cores`
    )
    if (isProfiled) printShares(figures.map(({ times }) => times))
  }
  for (const child of children) child.send('end')
  await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))))
}

/** Prints the fractions of self time by part, the largest first. */
function printShares(times) {
  const all = new Map()
  for (const [part, time] of times.flatMap((of) => Object.entries(of))) all.set(part, (all.get(part) ?? 0) + time)
  const total = [...all.values()].reduce((sum, time) => sum + time, 0)
  const sorted = [...all].sort((left, right) => right[1] - left[1]).slice(0, 12)
  console.log(`     ${sorted.map(([part, time]) => `${part} ${((100 * time) / total).toFixed(0)} %`).join(', ')}`)
}

/** The part that a function belongs to: a package, or Node.js itself. */
function partOf({ url, functionName }) {
  if (functionName === '(garbage collector)') return 'garbage collection'
  if (/^(writeBuffer|writev|readStart)/.test(functionName) && url === '') return 'system calls that write'
  if (url.startsWith('node:') || url === '') return 'Node.js itself'
  return /(?:packages|node_modules)\/((?:@[^/]+\/)?[^/]+)\/(?:dist|src|bench)/.exec(url)?.[1] ?? 'other packages'
}

/** Self time by part while `act` runs. */
async function profiled(act) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.start')
  const result = await act()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  const times = {}
  for (const [place, id] of profile.samples.entries()) {
    const frame = frames.get(id)
    if (frame.functionName === '(idle)') continue
    const part = partOf(frame)
    times[part] = (times[part] ?? 0) + profile.timeDeltas[place]
  }
  return { ...result, times }
}

async function serve() {
  const { KeyPeer, KeyServer, Keys } = await import('@murmuration/algorithms')
  const { peerName } = await import('@murmuration/core')
  const { createIdentity, createPeer } = await import('@murmuration/libp2p')
  const places = names.map((name) => peerName(name))
  const once = () => new Promise((resolve) => process.once('message', resolve))
  const self = peerName(await once())
  const identity = await createIdentity()
  const others = places.filter((name) => name !== self).map((name) => ({ name, weight: 0.5 }))
  const peer = await createPeer({
    self,
    identity,
    topology: { peers: places, period: 1, mixing: () => ({ selfWeight: 0.5, receiveFrom: others, sendTo: others }) },
    seed: 1,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    runSettings: { settings: { run: 'bench' }, schema: [{ name: 'x', shape: [count * width] }], start: '' }
  })
  process.send({ name: self, id: peer.id, addresses: peer.addresses })
  const peerList = await once()
  await peer.connect(peerList, AbortSignal.timeout(60_000))
  const { fabric } = peer
  const shared = { places, workers: places, timeout: 20_000, count, width, length: count * width }
  const rows = Float32Array.from({ length: count * width }, (_, place) => Math.sin(place))
  const server = (setting, send) => new KeyServer({ ...setting, count, width, holders: 2 }, send, rows)
  const keyPeer = new KeyPeer(fabric, { ...shared, server })
  const close = keyPeer.serve()
  const own = keyPeer.server.held().keys
  const isOwn = new Uint8Array(count)
  for (const key of own) isOwn[key] = 1
  const foreign = Uint32Array.from({ length: count }, (_, key) => key).filter((key) => isOwn[key] === 0)
  process.send('ready')
  for (let turn = await once(); turn !== 'end'; turn = await once())
    process.send(turn.isProfiled ? await profiled(() => ask(turn)) : await ask(turn))
  close()
  await peer.close()
  process.disconnect()

  async function ask({ batch, open, seconds }) {
    const before = process.cpuUsage()
    const end = performance.now() + 1000 * seconds
    let accesses = 0
    const work = async (activity, place) => {
      const keys = new Keys(activity, keyPeer)
      const values = new Float32Array(batch * width)
      const added = values.map((_, at) => 1e-3 * Math.cos(at))
      for (let at = place * keyed; performance.now() < end; at += batch) {
        const start = (at * keyed) % (foreign.length - batch)
        const some = foreign.subarray(start, start + batch)
        await keys.pull(some, values)
        await keys.push(some, added)
        accesses += 2 * batch
      }
    }
    const activities = Array.from(
      { length: open },
      (_, place) => new Promise((resolve, reject) => fabric.spawn((own) => work(own, place).then(resolve, reject)))
    )
    await Promise.all(activities)
    // The other peer may still ask for a moment.
    await new Promise((resolve) => setTimeout(resolve, 200))
    const { user, system } = process.cpuUsage(before)
    return { accesses, processor: (user + system) / 1000 }
  }
}

if (process.argv[2] === 'peer') await serve()
else await measure(Number(process.argv[2] ?? 3), process.argv[3] === 'profile')
