/** Decoupled DiLoCo in virtual time: a quorum, a grace window, and weights by work. */
import type { Milliseconds, PeerName } from '@murmuration/core'
import { type Fabric, fabricWith, peerName } from '@murmuration/core'
import { createTopology } from '@murmuration/topology'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import { apart, recordOf, runAtOwnPace } from './own-pace.js'
import { peersOf } from './recursion.js'

const decoupled = recordOf('decoupled-diloco')
const peers = peersOf(4)
const topology = createTopology({ peers, graph: { kind: 'complete' } })
const servers = [peerName('s0')]
const options = { period: 5, grace: 40, chunks: 2, outerRate: 0.7, momentum: 0.5 }
const evenly = () => 10

test('where all are present with equal work it is DiLoCo', async (t) => {
  const found = await runAtOwnPace(decoupled, { topology, servers, spread: 4, settings: { options }, cost: evenly })
  const outer = { name: 'sgd', rate: 0.7, momentum: 0.5, nesterov: true }
  const settings = { options: { period: 5, outer, collective: 'direct' } }
  const joint = await runAtOwnPace(recordOf('diloco'), { topology, spread: 4, settings, cost: evenly })
  for (const [peer, model] of joint.models) t.true(apart(found.models.get(peer) ?? [], model) < 1e-6, peer)
})

test('a slow worker is called for what it has done, and counts by its steps', async (t) => {
  const sent = new Map<PeerName, number[]>()
  const seen = (fabric: Parameters<typeof fabricWith>[0]) =>
    fabricWith(fabric, {
      send: (to, message) => {
        const { numbers = [] } = message as { numbers?: readonly number[] }
        if (to === servers[0] && numbers.length === 2)
          sent.set(fabric.self, [...(sent.get(fabric.self) ?? []), numbers[0]])
        return fabric.send(to, message)
      }
    })
  const cost = (peer: PeerName) => (peer === peers[0] ? 20 : 10)
  const run = { topology, servers, settings: { options: { ...options, chunks: 1 } }, cost, seen: seen as never }
  const { ends } = await runAtOwnPace(decoupled, run)
  // In 40 steps of the others it does about half as many, and the rest alone.
  t.deepEqual(sent.get(peers[1]), [5, 5, 5, 5, 5, 5, 5, 5])
  t.true(
    (sent.get(peers[0]) ?? []).slice(0, 7).every((steps) => steps === 2 || steps === 3),
    `${sent.get(peers[0])}`
  )
  t.true((ends.get(peers[1]) ?? 0) < 40 * 10 + 8 * 30, `${ends.get(peers[1])} ms`)
})

test('a merge is a Nesterov step on Σ w Δ / Σ w of those that are present, w the steps of each', async (t) => {
  const come = new Map<PeerName, { readonly Δ: readonly number[]; readonly steps: number }>()
  const merges: { readonly θ: readonly number[]; readonly of: { Δ: readonly number[]; steps: number }[] }[] = []
  const seen = (fabric: Fabric<VectorMessage>) =>
    fabric.self !== servers[0]
      ? fabric
      : fabricWith(fabric, {
          receive: async (until) => {
            const envelope = await fabric.receive(until)
            const { vector, numbers = [] } = envelope?.message ?? { vector: [] }
            if (envelope !== undefined && vector.length > 0)
              come.set(envelope.from, { Δ: [...vector], steps: numbers[0] })
            return envelope
          },
          send: (to, message) => {
            const { vector } = message
            const isNew = vector.length > 0 && String(merges.at(-1)?.θ) !== String([...vector])
            if (isNew) merges.push({ θ: [...vector], of: [] })
            const of = come.get(to)
            if (vector.length > 0 && of !== undefined) merges.at(-1)?.of.push(of)
            return fabric.send(to, message)
          }
        })
  const cost = (peer: PeerName) => 10 + 7 * peers.indexOf(peer)
  const settings = { options: { ...options, chunks: 1, grace: 20 } }
  await runAtOwnPace(decoupled, { topology, servers, settings, cost, seen, spread: 4 })
  let θ = [0, 0, 0, 0]
  let m = [0, 0, 0, 0]
  for (const merge of merges) {
    const work = merge.of.reduce((sum, { steps }) => sum + steps, 0)
    const Δ = θ.map((_, d) => merge.of.reduce((sum, { steps, Δ }) => sum + (steps / work) * Δ[d], 0))
    m = m.map((value, d) => 0.5 * value + Δ[d])
    θ = θ.map((value, d) => value - 0.7 * (Δ[d] + 0.5 * m[d]))
    t.true(apart(θ, merge.θ) < 1e-4, `${θ} for ${merge.θ}`)
    θ = [...merge.θ]
  }
  t.true(new Set(merges.map(({ of }) => of.length)).size > 1 && merges.length > 8)
})

/** When each worker ended, if the first one stops forever in its tenth step. */
async function endsWithout(quorum: number): Promise<ReadonlyMap<PeerName, Milliseconds>> {
  let steps = 0
  const cost = (peer: PeerName) => (peer === peers[0] && ++steps > 10 ? 1e9 : 10)
  const settings = { options: { ...options, quorum }, rounds: 40 }
  return (await runAtOwnPace(decoupled, { topology, servers, settings, cost, until: 5000 })).ends
}

test('a worker that is gone costs one grace window once, and a quorum of one never blocks', async (t) => {
  for (const quorum of [1, 3]) {
    const ends = await endsWithout(quorum)
    // 40 steps, 8 merges with two messages each, and one window.
    for (const peer of peers.slice(1)) t.is(ends.get(peer), 40 * 10 + 8 * 2 + options.grace)
  }
})

test('where fewer than the quorum are left the run ends, and names the missing peers', async (t) => {
  await t.throwsAsync(endsWithout(4), { message: /^s0 waited 2000 ms for the up of p00: nothing arrived$/ })
})
