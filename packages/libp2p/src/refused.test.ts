/** Processes that end, stop and come back, as seen by other peers. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type PeerName, peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { connectAll, eventually, graph, peerListOf, type TestNode, testNode } from './cluster.test.support.js'
import type { Start } from './echoing-peer.test.support.js'
import { createIdentity, encodeIdentity } from './identity.js'

const edges = [
  ['a', 'b'],
  ['b', 'c'],
  ['a', 'k']
] as const
const k = peerName('k')

/** Starts a process, and returns its addresses once it listens. */
async function start(t: ExecutionContext, options: Start) {
  const child = fork(fileURLToPath(new URL('./echoing-peer.test.support.js', import.meta.url)))
  t.teardown(() => child.kill('SIGKILL'))
  child.send(options)
  const [addresses] = (await once(child, 'message')) as [string[]]
  return { child, addresses }
}

/** What a peer has heard from "k", to which it sends notes repeatedly until the test ends. */
function tellAndListen(t: ExecutionContext, { peer }: TestNode) {
  const heard = { last: '', notes: 0, refused: 0 }
  const only = (from: PeerName, act: () => void) => void (from === k && act())
  peer.fabric.listen({
    note: (from, note) => only(from, () => void ((heard.last = note), heard.notes++)),
    heard: () => {},
    refused: (from) => only(from, () => void heard.refused++)
  })
  let count = 0
  const timer = setInterval(() => peer.fabric.tell(k, `${count++}`), 50)
  t.teardown(() => clearInterval(timer))
  return heard
}

const ended = async (child: ChildProcess) => {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

test('a peer that stands still is not refused; one that is killed is, at neighbours and others; and one that is back is told and heard again', async (t) => {
  const identity = await createIdentity()
  const options = { name: k, key: encodeIdentity(identity), listen: ['/ip4/127.0.0.1/tcp/0'], edges }
  const { child, addresses } = await start(t, options)
  const nodes = await Promise.all(['a', 'b', 'c'].map((name) => testNode(t, graph(...edges), name)))
  const peerList = [...peerListOf(nodes), { name: k, id: identity.id, addresses }]
  child.send(peerList)
  await Promise.all(nodes.map(({ peer }) => peer.connect(peerList, 60_000)))
  const all = nodes.map((node) => tellAndListen(t, node))
  const notes = () => all.map((heard) => heard.notes)
  await eventually('an echo at all', () => notes().every((count) => count > 0))

  child.kill('SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, 1500))
  t.deepEqual(
    all.map(({ refused }) => refused),
    [0, 0, 0]
  )
  const before = notes()
  child.kill('SIGCONT')
  await eventually('more echos', () => notes().every((count, index) => count > before[index] + 10))
  t.deepEqual(
    all.map(({ refused }) => refused),
    [0, 0, 0]
  )

  await ended(child)
  await eventually('a refusal at all', () => all.every(({ refused }) => refused > 0))
  const atDeath = notes()
  const next = await start(t, { ...options, listen: [addresses[0].replace(/\/p2p.*/, '')] })
  next.child.send(peerList)
  await eventually('echos of the next', () => notes().every((count, index) => count > atDeath[index]))
})

test('one that leaves, or has not been there yet and nobody calls, is not refused', async (t) => {
  const nodes = await Promise.all(['a', 'b', 'c', 'k'].map((name) => testNode(t, graph(...edges), name)))
  await connectAll(nodes)
  const [left] = nodes
  const heard = tellAndListen(t, left)
  await nodes[3].peer.close()
  await eventually('a goodbye', () => left.events.some(({ kind }) => kind === 'left'))
  await new Promise((resolve) => setTimeout(resolve, 500))
  t.is(heard.refused, 0)
})
