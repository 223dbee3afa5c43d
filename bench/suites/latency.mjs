/** How long a small message takes to and fro, over a stream of its own, while vectors go both ways. */
import { takeTurns } from '../harness.mjs'
import { kinds, latencyKinds, references } from '../kinds/index.mjs'
import { pair } from '../shapes.mjs'
import { quantile, spreadOf, written } from '../statistics.mjs'

const echoBytes = 1000

/** Milliseconds from one small message to the next. */
const interval = 10

export const latency = {
  title: 'Round trip in ms of 1 kB, sent every 10 ms while vectors of 100 MB (--quick: 10 MB) go both ways',
  kinds: latencyKinds,
  run: async ({ kinds: chosen, repeats, quick, say }) => {
    const megabytes = quick ? 10 : 100
    say(`echoes beside ${megabytes} MB`)
    const measure = (team, rounds) => measureFor(quick ? 500 : 1500, team, rounds)
    const elements = megabytes * 250_000
    const settings = { shape: pair, elements, repeats, keep: quick, echo: true, measure, say }
    const results = await takeTurns({ kinds: chosen, ...settings })
    return [...results].map(([kind, turns]) => rowOf(kind, megabytes, turns, results.get(references.net)))
  },
  head: ['', 'MB', 'p50', 'p95', 'max', 'p95 × node:net', 'echoes', 'MB/s meanwhile'],
  cells: (row) => [
    row.label,
    row.megabytes,
    ...[row.p50, row.p95, row.max].map((spread) => written(spread, 2)),
    written(row.toNet, 1),
    row.echoes,
    written(row.speed, 0)
  ]
}

/** Batches of rounds for `time` ms at least. */
async function measureFor(time, team, rounds) {
  if (!team.hasEcho) throw new Error('it has no echo')
  const turn = { rounds: 0, ms: 0, echoes: [] }
  while (turn.ms < time) {
    const batch = await team.runWithEchoes(rounds, echoBytes, interval)
    turn.rounds += batch.rounds
    turn.ms += batch.ms
    turn.echoes.push(...batch.echoes)
  }
  return turn
}

function rowOf(kind, megabytes, turns, netTurns) {
  const p95Of = ({ echoes }) => quantile(echoes, 0.95)
  return {
    kind,
    label: kinds[kind].label,
    megabytes,
    p50: spreadOf(turns.map(({ echoes }) => quantile(echoes, 0.5))),
    p95: spreadOf(turns.map(p95Of)),
    max: spreadOf(turns.map(({ echoes }) => Math.max(...echoes))),
    toNet: netTurns && spreadOf(turns.map((turn, k) => p95Of(turn) / p95Of(netTurns[k]))),
    echoes: turns.reduce((sum, { echoes }) => sum + echoes.length, 0),
    speed: spreadOf(turns.map(({ ms, rounds }) => (1000 * 2 * megabytes * rounds) / ms)),
    turns
  }
}
