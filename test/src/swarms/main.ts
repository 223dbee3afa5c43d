/**
 * Drawn swarms as a program: `node test/dist/swarms/main.js FIRST COUNT [KIND [ALGORITHM]]`; the kind is overlapping,
 * stopping, epochs or stopping-epochs, the last two of an algorithm. It prints what is wrong, and how to reproduce it.
 */
import { drawRun } from '../epochs/draw-epochs.js'
import { epochProblems } from '../epochs/try-epochs.js'
import { drawSwarm, type ExchangeKind } from './draw-swarm.js'
import { problemsWith } from './try-swarm.js'

const [first = 1, count = 100] = process.argv.slice(2).map(Number)
const [kind = 'drawn', only] = process.argv.slice(4)
const exchanges: ExchangeKind = kind === 'overlapping' || kind === 'stopping' ? kind : 'drawn'
const isOfEpochs = kind === 'epochs' || kind === 'stopping-epochs'
const isStopping = kind === 'stopping-epochs'
let failed = 0
for (let seed = first; seed < first + count; seed++) {
  const wrong = await (isOfEpochs ? epochProblems(seed, { only, isStopping }) : problemsWith(seed, { exchanges }))
  const { story } = isOfEpochs ? drawRun(seed, { only, isStopping }) : drawSwarm(seed, exchanges)
  if (wrong.length === 0) continue
  failed++
  const again = ['npm run swarms --', seed, 1, kind, only].filter((part) => part !== undefined).join(' ')
  if (count === 1) process.stdout.write(`${story}\n`)
  process.stdout.write(`${wrong.join('\n')}\nto see it again: ${again}\n`)
}
const { user, system } = process.cpuUsage()
const seconds = ((user + system) / 1e6).toFixed(0)
process.stdout.write(`${count} swarms from seed ${first}: ${failed} failed; ${seconds} s of processor time\n`)
process.exitCode = failed > 0 ? 1 : 0
