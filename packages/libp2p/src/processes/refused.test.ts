/** Processes that end, stop and come back, as seen by other peers. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type PeerName, peerName } from '@murmuration/core'
import test, { type ExecutionContext } from 'ava'
import { connectAll, eventually, graph, peerListOf, type TestNode, testNode } from '../cluster.test.support.js'
import type { Start } from './echoing-peer.test.support.js'
import { createIdentity, encodeIdentity } from '../base/identity.js'

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
  const events = { last: '', notes: 0, refused: 0 }
  const only = (from: PeerName, act: () => void) => void (from === k && act())
  peer.fabric.listen({
    note: (from, note) => only(from, () => void ((events.last = note), events.notes++)),
    heard: () => {},
    refused: (from) => only(from, () => void events.refused++)
  })
  let count = 0
  const timer = setInterval(() => peer.fabric.tell(k, `${count++}`), 50)
  t.teardown(() => clearInterval(timer))
  return events
}

const ended = async (child: ChildProcess) => {
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

test('a suspended peer does not count as refused; a killed one does, at all peers; a restarted one exchanges notes again', async (t) => {
  const identity = await createIdentity()
  const options = { name: k, key: encodeIdentity(identity), listen: ['/ip4/127.0.0.1/tcp/0'], edges }
  const { child, addresses } = await start(t, options)
  const nodes = await Promise.all(['a', 'b', 'c'].map((name) => testNode(t, graph(...edges), name)))
  const peerList = [...peerListOf(nodes), { name: k, id: identity.id, addresses }]
  child.send(peerList)
  await Promise.all(nodes.map(({ peer }) => peer.connect(peerList, 60_000)))
  const all = nodes.map((node) => tellAndListen(t, node))
  const notes = () => all.map((events) => events.notes)
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

test('a peer that leaves, or has not started and is not called, does not count as refused', async (t) => {
  const nodes = await Promise.all(['a', 'b', 'c', 'k'].map((name) => testNode(t, graph(...edges), name)))
  await connectAll(nodes)
  const [left] = nodes
  const events = tellAndListen(t, left)
  await nodes[3].peer.close()
  await eventually('a goodbye', () => left.events.some(({ kind }) => kind === 'left'))
  await new Promise((resolve) => setTimeout(resolve, 500))
  t.is(events.refused, 0)
})
