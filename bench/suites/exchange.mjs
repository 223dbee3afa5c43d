/** Two processes: each sends its vector to the other, receives the other's, and averages; both ways at once. */
import { takeTurns } from '../harness.mjs'
import { exchangeKinds, kinds, references, slowKinds } from '../kinds/index.mjs'
import { pair, transfersOf } from '../shapes.mjs'
import { spreadOf, written } from '../statistics.mjs'

const million = 1e6

/** Larger vectors, in megabytes, go by fewer kinds, unless the others are asked for by name; so do all with --quick. */
const maxMany = 200

export const exchange = {
  title: 'Exchange and average of a pair of processes, both ways at once',
  kinds: exchangeKinds,
  run: async ({ kinds: chosen, only, quick, sizes, repeats, say }) => {
    const rows = []
    for (const megabytes of sizes) {
      const few = chosen.filter((name) => !slowKinds.includes(name) || only.includes(name))
      const settings = {
        kinds: quick || megabytes > maxMany ? few : chosen,
        megabytes,
        shape: pair,
        repeats,
        keep: quick,
        say
      }
      rows.push(...(await measureShape(settings)))
    }
    return rows
  },
  head: ['', 'MB', 'MB/s', '× libp2p', '× node:net', 'CPU ms/MB', 'peak MB'],
  cells: (row) => [
    row.label,
    row.megabytes,
    written(row.speed, 0),
    written(row.toLibp2p, 2),
    written(row.toNet, 2),
    written(row.cpu, 2, false),
    written(row.memory, 0, false)
  ]
}

/** Lets kinds take turns at one size and shape, and compares them turn by turn. */
export async function measureShape({ kinds: names, megabytes, shape, repeats, keep, say }) {
  const elements = Math.round((megabytes * million) / 4)
  const bytesPerRound = 4 * elements * transfersOf(shape)
  say(`${megabytes} MB among ${shape.length} processes`)
  const measure = async (team, rounds) => figuresOf(await team.run(rounds), bytesPerRound)
  const results = await takeTurns({ kinds: names, shape, elements, repeats, keep, measure, say })
  return [...results].map(([kind, turns]) => ({ megabytes, ...rowOf(kind, turns, results) }))
}

/**
 * Megabytes of vectors a second over all links, both ways together; milliseconds of all processors for each megabyte.
 */
function figuresOf({ ms, rounds, cpu, memory }, bytesPerRound) {
  const megabytes = (bytesPerRound * rounds) / million
  return { rounds, ms, speed: (1000 * megabytes) / ms, cpu: cpu / megabytes, memory: memory / million }
}

function rowOf(kind, turns, results) {
  const spread = (pick) => spreadOf(turns.map(pick))
  const ratioTo = (reference) => {
    const others = results.get(reference)
    return others && spreadOf(turns.map(({ speed }, turn) => speed / others[turn].speed))
  }
  return {
    kind,
    label: kinds[kind].label,
    speed: spread(({ speed }) => speed),
    toLibp2p: ratioTo(references.libp2p),
    toNet: ratioTo(references.net),
    cpu: spread(({ cpu }) => cpu),
    memory: spread(({ memory }) => memory),
    turns
  }
}
