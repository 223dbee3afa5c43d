import { peerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { edgeModel, type EdgeModelOptions } from './edge-model.test.support.js'
import { type Debt, type Edge, Edges } from './edge.js'
import { type Explored, explore, walk } from './explore.test.support.js'

const [a, b] = ['a', 'b'].map(peerName)

function textOf({ problem }: Explored): string {
  return problem === undefined ? '' : `${problem.text}:\n${problem.steps.join('\n')}`
}

const whole: readonly [string, EdgeModelOptions, number][] = [
  ['2 peers, 2 rounds, a cut and a wrong verdict', { peers: 2, rounds: 2, cuts: 1, verdicts: 1 }, 20_000],
  ['2 peers, 2 rounds, a crash, a restart', { peers: 2, rounds: 2, crashes: 1, restarts: 1 }, 10_000],
  ['2 peers, 2 rounds, a wrong verdict, a pause', { peers: 2, rounds: 2, verdicts: 1, pauses: 1 }, 5000]
]
for (const [title, options, least] of whole) {
  test(`in every state an edge is used by both ends with one weight, or waits, or is owed: ${title}`, (t) => {
    const found = explore(edgeModel(options))
    t.log(`${found.states} states`)
    t.is(textOf(found), '')
    t.true(found.states > least)
  })
}

for (const [peers, walks] of [
  [3, 150],
  [4, 60]
]) {
  test(`${walks} random walks of ${peers} peers through all faults keep to the rules`, (t) => {
    const options = { peers, rounds: 4, cuts: 3, crashes: 2, restarts: 2, verdicts: 3, pauses: 3 }
    t.is(textOf(walk(edgeModel(options), walks, createRandom(1, a).stream('walk'))), '')
  })
}

class WithoutDebts extends Edges<number> {
  override owe(): void {}
}
class OwingGoesOn extends Edges<number> {
  override maySend(): boolean {
    return true
  }
  override markSent(edge: Edge<number>): void {
    super.markSent(edge)
    edge.debt = undefined
  }
}
class XAfterSkip extends Edges<number> {
  override refuse(): 'skip' {
    return 'skip'
  }
}
class WithoutLives extends Edges<number> {
  override isOfLives(): boolean {
    return true
  }
}

const mutants: readonly [string, EdgeModelOptions, RegExp][] = [
  ['debts', { peers: 2, rounds: 2, verdicts: 1, edges: WithoutDebts }, /used by one end alone/],
  ['a wait for what is owed', { peers: 2, rounds: 3, verdicts: 2, edges: OwingGoesOn }, /used by one end alone/],
  ['the smaller offer', { peers: 3, rounds: 1, weightOf: (mine) => mine }, /two weights/],
  ['silence after SKIP', { peers: 2, rounds: 2, verdicts: 1, edges: XAfterSkip }, /stuck|used/],
  ['lives', { peers: 2, rounds: 3, crashes: 1, restarts: 1, edges: WithoutLives }, /used|stuck|never/]
]
for (const [rule, options, problem] of mutants) {
  test(`rules without ${rule} are found out`, (t) => {
    t.regex(textOf(explore(edgeModel(options), true)), problem)
  })
}

const debt = (tag: number): Debt<number> => ({ tag, mine: 0, offer: 0.5, theirs: 0.5, since: 0, askedAt: undefined })

/** Has sent X under tag 0, and has continued without b's. */
function owing(): { readonly edges: Edges<number>; readonly cancelled: number[] } {
  const cancelled: number[] = []
  const edges = new Edges<number>({ cancelled: ({ tag }) => cancelled.push(tag) })
  edges.begin(0)
  edges.markSent(edges.of(b))
  edges.owe(b, debt(0))
  edges.isOpen = false
  return { edges, cancelled }
}

test('a debt counts once: where it is settled, restored and settled again, cancelled, or lost with this life', (t) => {
  const { edges, cancelled } = owing()
  const other = new Edges<number>({ cancelled: ({ tag }) => cancelled.push(tag) })
  for (const [peer, edge] of edges.entries()) other.restore(peer, { ...edge })
  t.deepEqual([other.debts, other.owing], [1, [b]])
  t.is(other.settle(b)?.tag, 0)
  t.is(other.settle(b), undefined)
  t.deepEqual([other.debts, other.owing], [0, []])
  edges.owe(a, debt(0))
  t.deepEqual([edges.debts, edges.owing], [2, [b, a]])
  edges.skip(b, 7)
  t.is(edges.debts, 2, 'SKIP of another round changes nothing')
  edges.skip(b, 0)
  edges.skip(b, 0)
  t.deepEqual([edges.debts, edges.owing, cancelled], [1, [a], [0]])
  edges.beginLife(2)
  t.deepEqual([edges.debts, cancelled], [0, [0, 0]])
})
