/** Simulated peers on one thread, and on two: this simulator and gossipy, in turns, by the clock. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { simulator } from '../guard/measurements.mjs'
import { findPython } from '../kinds/python.mjs'
import { spreadOf, written } from '../statistics.mjs'

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url))
const peers = 100
const ours = 1000
const theirs = 100

export const simulators = {
  title: `Simulated peers: logistic regression on 57 features, batch 32, a ring of ${peers}; peer-rounds a second by the clock, and µs of processor time each`,
  kinds: [],
  head: ['', 'peer-rounds/s', '× gossipy', 'processor, µs', 'gossipy / it'],
  cells: ({ label, speed, ratio, processor, cost }) => [
    label,
    written(speed, 0),
    written(ratio, 1),
    written(processor, 1),
    written(cost, 1)
  ],
  run: async ({ repeats, say }) => {
    const python = await findPython('import gossipy, scipy')
    if (python === undefined) say('gossipy is left out: there is no Python with it')
    const turns = []
    for (let turn = 1; turn <= repeats; turn++) {
      say(`simulators, turn ${turn} of ${repeats}`)
      const own = await ownFigures()
      turns.push({ own, gossipy: python === undefined ? undefined : await gossipyFigures(python) })
    }
    return [rowOf('Murmuration', turns, (turn) => turn.own), rowOf('gossipy', turns, (turn) => turn.gossipy)].filter(
      ({ speed }) => speed !== undefined
    )
  }
}

/** Peer-rounds a second, and microseconds of all threads for each. */
async function ownFigures() {
  const { command, read } = simulator(peers, ours)
  const [program, ...args] = command(pathOf('../..'))
  const { stdout } = await promisify(execFile)(program, args, {
    env: { ...process.env, FORCE_COLOR: '0' },
    cwd: pathOf('../..')
  })
  const figures = read({ stdout, memory: 0 })
  return { speed: 1e6 / figures['time, µs per peer-round'], processor: figures['processor, µs per peer-round'] }
}

async function gossipyFigures(python) {
  const { stdout } = await promisify(execFile)(python, [pathOf('./simulators.py'), String(peers), String(theirs)])
  const { seconds, processor } = JSON.parse(stdout.trim().split('\n').at(-1))
  return { speed: (peers * theirs) / seconds, processor: (1e6 * processor) / (peers * theirs) }
}

function rowOf(label, turns, pick) {
  const of = (figure) => spreadOf(turns.map((turn) => pick(turn) && figure(pick(turn), turn.gossipy)))
  return {
    label,
    speed: of(({ speed }) => speed),
    processor: of(({ processor }) => processor),
    ratio: of(({ speed }, gossipy) => gossipy && speed / gossipy.speed),
    cost: of(({ processor }, gossipy) => gossipy && gossipy.processor / processor),
    turns: turns.map(pick)
  }
}
