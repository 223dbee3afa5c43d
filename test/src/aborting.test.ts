/** A training that is aborted, in both worlds: before, at the start, while it waits or computes, and at the end. */
import { getEventListeners } from 'node:events'
import { dpsgd, Members, train, type TrainingSettings } from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import { deferred, type PeerName, peerName, type Task } from '@murmuration/core'
import { createIdentity, createPeer } from '@murmuration/libp2p'
import { createTopology } from '@murmuration/topology'
import test from 'ava'
import { pullingTask } from './pulling-task.js'
import { inSimulator, overLibp2p } from './worlds.js'

const [a, b] = ['a', 'b'].map(peerName)
const topology = createTopology({ peers: [a, b], graph: { kind: 'complete' } })
const length = 8
const settings: TrainingSettings = {
  algorithm: dpsgd,
  workers: [a, b],
  seed: 1,
  batchSize: 1,
  rounds: 3,
  finalRounds: 2,
  rate: () => 0.1,
  timeout: timeLimit(60_000)
}

/** When `abort` is called, and how many steps each peer has seen then. */
interface Moment {
  readonly steps: number
  /** The task of b. */
  task?(task: Task, abort: () => void): Task
  /** Called after a step of b. */
  step?(round: number, abort: () => void): void
}

/** After computing for a while, in which a waits. */
const late = async <Result>(result: Result | Promise<Result>, abort: () => void): Promise<Result> => {
  await new Promise((resolve) => setTimeout(resolve, 20))
  abort()
  return result
}

const moments: Readonly<Record<string, Moment>> = {
  'before it begins': { steps: 0 },
  'while it takes its start': {
    steps: 0,
    task: (task, abort) => {
      const initialise = () => ({ ...task.initialise(1), run: () => late(task.initialise(1).run(), abort) })
      return { ...task, initialise }
    }
  },
  'while one peer computes and the other waits for it': {
    steps: 0,
    task: (task, abort) => ({
      ...task,
      gradient: (x, batch) => {
        const work = task.gradient(x, batch)
        return { ...work, run: () => late(work.run(), abort) }
      }
    })
  },
  'between two rounds': { steps: 2, step: (round, abort) => round === 1 && abort() },
  'after its last round': { steps: 5, step: (round, abort) => round === 4 && abort() }
}

for (const [world, run] of Object.entries({ simulator: inSimulator, libp2p: overLibp2p }))
  for (const [name, moment] of Object.entries(moments))
    test(`${world}: training that is aborted ${name} rejects with the reason and leaves no listener`, async (t) => {
      const controller = new AbortController()
      const { signal } = controller
      const reason = new Error('enough')
      const abort = () => controller.abort(reason)
      if (moment.step === undefined && moment.task === undefined) abort()
      const ends = new Map<PeerName, unknown>()
      let steps = 0
      await run({ topology, seed: 1, length }, async (fabric) => {
        const task = pullingTask([a, b], fabric.self, length)
        const isLast = fabric.self === b
        try {
          const given = isLast ? (moment.task?.(task, abort) ?? task) : task
          for await (const { round } of train(fabric, given, settings, { signal })) {
            if (isLast) steps++
            if (isLast) moment.step?.(round, abort)
          }
          ends.set(fabric.self, 'finished')
        } catch (error) {
          ends.set(fabric.self, error)
        }
      })
      t.is(ends.get(b), reason)
      // Whoever has finished before the other's last step was too fast to be aborted.
      t.true(ends.get(a) === reason || (moment.steps === 5 && ends.get(a) === 'finished'), String(ends.get(a)))
      t.is(steps, moment.steps)
      t.is(getEventListeners(signal, 'abort').length, 0)
    })

test('whoever is aborted leaves the others as a member does, and its peer closes by itself', async (t) => {
  const controller = new AbortController()
  const hasLeft = deferred<string>()
  const listen = ['/ip4/127.0.0.1/tcp/0']
  const runSettings = { settings: { run: 'abort' }, schema: pullingTask([a, b], a, length).schema, start: 'zero' }
  const start = async (self: PeerName, signal?: AbortSignal) => {
    const peer = await createPeer({
      self,
      identity: await createIdentity(),
      topology,
      seed: 1,
      listen,
      runSettings,
      signal
    })
    t.teardown(() => peer.close())
    const members = new Members(peer.fabric, {
      topology,
      signer: peer.signer,
      wait: { start: timeLimit(60_000), pause: timeLimit(60_000) },
      onChange: ({ kind, ...change }) => {
        if (self === b && 'peer' in change && change.peer === a && kind !== 'joined') hasLeft.resolve(kind)
      }
    })
    const run = async () => {
      const task = pullingTask([a, b], self, length)
      const long = { ...settings, rounds: 100_000, members }
      for await (const { round } of train(peer.fabric, task, long, { signal }))
        if (round === 3 && self === a) controller.abort()
    }
    return { self, peer, run }
  }
  const all = [await start(a, controller.signal), await start(b)]
  const peerList = all.map(({ self, peer: { id, addresses } }) => ({ name: self, id, addresses }))
  for (const { peer } of all) peer.meet(peerList)
  const ends = all.map(({ run }) => run().catch((error: unknown) => error))
  t.is(await ends[0], controller.signal.reason)
  t.is(await hasLeft.promise, 'left')
  all[1].peer.stop()
  await Promise.all(ends)
  t.is(getEventListeners(controller.signal, 'abort').length, 0)
})
