/**
 * Drawn swarms as a program: `node test/dist/swarms/main.js FIRST COUNT [overlapping]`. It prints what is wrong, and
 * how to reproduce it.
 */
import { drawSwarm, type ExchangeKind } from './draw-swarm.js'
import { problemsWith } from './try-swarm.js'

const [first = 1, count = 100] = process.argv.slice(2).map(Number)
const exchanges: ExchangeKind = process.argv[4] === 'overlapping' ? 'overlapping' : 'drawn'
let failed = 0
for (let seed = first; seed < first + count; seed++) {
  const wrong = await problemsWith(seed, { exchanges })
  if (wrong.length === 0) continue
  failed++
  const story = count === 1 ? `${drawSwarm(seed, exchanges).story}\n` : ''
  process.stdout.write(`${story}${wrong.join('\n')}\nto see it again: npm run swarms -- ${seed} 1 ${exchanges}\n`)
}
const { user, system } = process.cpuUsage()
const seconds = ((user + system) / 1e6).toFixed(0)
process.stdout.write(`${count} swarms from seed ${first}: ${failed} failed; ${seconds} s of processor time\n`)
process.exitCode = failed > 0 ? 1 : 0
