import { fileURLToPath } from 'node:url'
import test from 'ava'
import { median } from 'simple-statistics'
import { results } from '../run/results.test.support.js'
import { readScenario } from '../scenario/file.js'
import type { SimRun } from '../scenario/sweep.js'

const scenarioFile = fileURLToPath(new URL('../../../../../sim/speed-up.yaml', import.meta.url))

test.serial(
  'n peers of D-PSGD, each number with its best rate, are faster in proportion on fast links (Lian 2017, figure 3c)',
  async (t) => {
    const scenario = { ...(await readScenario(scenarioFile)), seeds: [1, 2, 3] }
    const numbers = [1, 4, 16]
    const isWanted = ({ method, setting }: SimRun) =>
      method.algorithm.name === 'dpsgd' && numbers.includes(Number(setting.values.peers))
    const runs = await results(scenario, isWanted)
    const rates = [...new Set(runs.map(({ record }) => Number(record.settings.rate)))]
    const seconds = (peers: number, rate: number) => {
      const own = runs.filter(({ record }) => record.peers === peers && record.settings.rate === rate)
      return median(own.map(({ record }) => record.toTarget?.seconds ?? Infinity))
    }
    const best = (peers: number) =>
      rates.reduce((one, other) => (seconds(peers, other) < seconds(peers, one) ? other : one))
    const alone = seconds(1, best(1))
    for (const peers of numbers.slice(1)) {
      const speedUp = alone / seconds(peers, best(peers))
      t.true(speedUp > 0.6 * peers && speedUp < 1.4 * peers, `${peers} peers are ${speedUp.toFixed(2)} times as fast`)
    }
    t.true(
      best(1) > Math.min(...rates) && best(16) < Math.max(...rates),
      'no best rate is at an end of those that are tried'
    )
    t.true(seconds(16, best(1)) > (alone / 16) * 4, 'at the best rate of one peer, 16 gain little')
  }
)
