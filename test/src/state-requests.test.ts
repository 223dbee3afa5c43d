/** Simulated swarms in which a peer asks another for its state. */
import { Members, dpsgd, Session } from '@murmuration/algorithms'
import { quadratics } from '@murmuration/contract'
import { type Fabric, fabricWith, type Milliseconds, type PeerName, peerName } from '@murmuration/core'
import { trustingSigner } from '@murmuration/membership'
import { type FaultEvent, simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology } from '@murmuration/topology'
import { vectorWire, type VectorMessage } from '@murmuration/wire'
import test from 'ava'

const [a, b, m] = ['a', 'b', 'm'].map(peerName)

/** The wire numbers of D-PSGD's state transfer. */
const kinds = { ask: 7, state: 8, refusal: 9 }
const from: Milliseconds = 5000
const until: Milliseconds = 65_000

/** What `a` has sent, the last round of each peer, and how many messages of `m` were rejected. */
interface Outcome {
  readonly last: ReadonlyMap<PeerName, number>
  readonly sent: readonly { readonly to: PeerName; readonly kind: number; readonly at: Milliseconds }[]
  readonly rejected: number
  /** The life of each peer at the end, and how many states were sent to it. */
  readonly lives: ReadonlyMap<PeerName, number>
  readonly states: ReadonlyMap<PeerName, number>
}

/**
 * These peers for 70 s. `b` is killed and restarted at these times; `m` may be hostile. A state of `a`, or of all where
 * none is hostile, takes `transfer` milliseconds on its way, a gradient `gradient`. Peers wait `pause` for the run to
 * begin or to continue.
 */
async function run(
  peers: readonly PeerName[],
  timeout: Milliseconds,
  restarts: readonly Milliseconds[],
  { transfer = 0, gradient = 50, pause = 60_000, isHostile = true } = {}
): Promise<Outcome> {
  const topology = createTopology({ peers, graph: { kind: 'ring' } })
  const { taskOf } = quadratics(topology)
  const sent: { to: PeerName; kind: number; at: Milliseconds }[] = []
  const last = new Map<PeerName, number>()
  const lives = new Map<PeerName, number>()
  const states = new Map<PeerName, number>()
  const rounds = 70_000 / gradient
  const program = async (inner: Fabric<VectorMessage>) => {
    const { self } = inner
    const sendLater = (to: PeerName, message: VectorMessage) =>
      inner.spawn(async (later) => {
        await later.sleep(later.now() + transfer)
        later.send(to, message)
      })
    const send: Fabric<VectorMessage>['send'] = (to, message) => {
      const isSlow = transfer > 0 && message.kind === kinds.state
      const result = isSlow ? 'queued' : inner.send(to, message)
      if (isSlow) sendLater(to, { ...message, vector: message.vector.slice() })
      if (result === 'queued') sent.push({ to, kind: message.kind, at: inner.now() })
      if (message.kind === kinds.state) states.set(to, (states.get(to) ?? 0) + 1)
      return result
    }
    const fabric = self === a || !isHostile ? fabricWith(inner, { send }) : inner
    const wait = { start: pause, pause }
    const members = new Members(fabric, { topology, signer: trustingSigner, wait })
    const common = { algorithm: dpsgd, seed: 1, batchSize: 4, rounds, finalRounds: 0, rate: () => 0.05 }
    const session = new Session(fabric, taskOf(self), { ...common, timeout, workers: topology.peers, members })
    if (self === m && isHostile) fabric.spawn(askInLoop)
    for await (const { round, life = 1 } of session.steps()) {
      last.set(self, round)
      lives.set(self, life)
    }
    members.end()
  }
  const events = restarts.flatMap((at): FaultEvent[] => [
    { at: at - 100, kind: 'crash', peer: b },
    { at, kind: 'restart', peer: b }
  ])
  const cost = ({ kind }: { kind: string }) => (kind === 'gradient' ? gradient : 0)
  const common = { topology, seed: 1, wire: vectorWire, links: uniformLinks({ latency: 5 }), cost }
  const { rejected } = await simulate({ ...common, faults: { rules: [], events } }, program)
  return { sent, last, lives, states, rejected: rejected.get(m) ?? 0 }
}

/** Asks `a` for its state every 10 ms. */
async function askInLoop(fabric: Fabric<VectorMessage>): Promise<void> {
  await fabric.sleep(from)
  const ask = { kind: kinds.ask, part: 0, field: 0, numbers: [], offset: 0 }
  for (let round = 1_000_000; fabric.now() < until; round++) {
    fabric.send(a, { ...ask, round, vector: new Float32Array(0) })
    await fabric.sleep(fabric.now() + 10)
  }
}

const timesOf = ({ sent }: Outcome, peer: PeerName, kind: number) =>
  sent.filter((message) => message.to === peer && message.kind === kind).map(({ at }) => at)

test('a neighbour that asks for a state in a loop gets three and then one per timeout, and another that has crashed gets one at once', async (t) => {
  const timeout = 5000
  const outcome = await run([a, b, m], timeout, [30_000])
  const states = timesOf(outcome, m, kinds.state).length
  t.true(states >= 3 && states <= 3 + (until - from) / timeout, `${states} states`)
  t.true(outcome.rejected > 4000, `${outcome.rejected} faults in 6000 asks`)
  const [first] = timesOf(outcome, b, kinds.state)
  t.true(first > 30_000 && first < 31_500, `after ${first - 30_000} ms`)
})

test('a peer whose state takes longer than a timeout to arrive waits twice as long for the next one, and continues from it', async (t) => {
  const timeout = 5000
  const gradient = 2000
  const outcome = await run([a, b], timeout, [20_000], { transfer: 8000, gradient, pause: timeout })
  t.is(timesOf(outcome, b, kinds.state).length, 2)
  t.deepEqual(
    [a, b].map((peer) => outcome.last.get(peer)),
    [34, 34]
  )
})

test('a peer whose state takes as long as many rounds continues from the first one, where the others are by then, and stays', async (t) => {
  const outcome = await run([a, b, m], 5000, [20_000], { transfer: 1000, isHostile: false })
  t.is(outcome.states.get(b), 1)
  t.is(outcome.lives.get(b), 2)
  t.is(outcome.last.get(b), outcome.last.get(a))
})
