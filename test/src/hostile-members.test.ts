/** D-PSGD over libp2p and TCP with a member of the peer list that lies in one way after the other. */
import { setTimeout as delay } from 'node:timers/promises'
import { timeLimit } from '@murmuration/contract'
import type { Task } from '@murmuration/core'
import { createIdentity, createPeer, type Peer } from '@murmuration/libp2p'
import { consensusDistance } from '@murmuration/vectors'
import test, { type ExecutionContext } from 'ava'
import { liesFor } from './liars/lies.js'
import { honest, liar, type LyingSwarm, names, noOutcome, runPeer, topologyOf } from './liars/lying-swarm.js'

const timeout = 5000

/** Lies with brief effects come first: after others the liar is out of the rows for a while. */
const last = ['sends no vector', 'says SKIP at the last moment', 'waits for all, as it says, and sends no vector']
const all = Object.entries(liesFor(timeout)).filter(([what]) => !/state|40 KiB|JSON|silent for/.test(what))
const lies = [...all.filter(([what]) => !last.includes(what)), ...all.filter(([what]) => last.includes(what))]
/** Rounds that the others end after the first telling of a lie, before the next lie. */
const roundsPerLie = 6

const swarm: LyingSwarm = {
  graph: 'ring',
  timeout,
  gradient: 50,
  // A liar that is waited for or out of the rows begins some of its lies late.
  rounds: 2 * roundsPerLie * (lies.length + 1),
  slowed: (task) => {
    const gradient = task.gradient.bind(task)
    const slow: Task['gradient'] = (x, batch, round) => {
      const work = gradient(x, batch, round)
      return { ...work, run: () => delay(swarm.gradient).then(() => work.run()) }
    }
    return Object.assign(task, { gradient: slow })
  }
}

async function started(t: ExecutionContext): Promise<readonly Peer[]> {
  const common = { topology: topologyOf(swarm.graph), seed: 1, listen: ['/ip4/127.0.0.1/tcp/0'] }
  const runSettings = { settings: { run: 'test' }, schema: [{ name: 'x', shape: [4] }], start: 'same' }
  const peers = await Promise.all(
    names.map(async (self) => createPeer({ ...common, self, identity: await createIdentity(), runSettings }))
  )
  t.teardown(() => Promise.all(peers.map((peer) => peer.close())))
  const list = peers.map(({ id, addresses }, place) => ({ name: names[place], id, addresses }))
  for (const peer of peers) peer.meet(list)
  return peers
}

test('a member with a real key that lies in one way after the other gets no peer expelled: all reach the end and agree', async (t) => {
  t.timeout(timeLimit(120_000))
  const outcome = noOutcome()
  const round = () => Math.min(...honest.map((name) => outcome.latest.get(name) ?? 0))
  const told: string[] = []
  let next = roundsPerLie
  const lieNow = () => {
    if (told.length < lies.length && round() >= next) {
      told.push(lies[told.length][0])
      next = round() + roundsPerLie
    }
    return lies[told.length - 1]?.[1]
  }
  const peers = await started(t)
  await Promise.all(peers.map(({ fabric, signer }) => runPeer(fabric, signer, swarm, outcome, lieNow)))
  t.deepEqual([...outcome.lost.values()], [])
  t.deepEqual(
    [...outcome.dead].filter((name) => name !== liar),
    []
  )
  t.deepEqual(
    told,
    lies.map(([what]) => what)
  )
  t.true(outcome.lies > lies.length)
  t.true(consensusDistance([...outcome.models.values()]) < 1e-2)
})
