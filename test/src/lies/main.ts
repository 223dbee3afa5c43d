/**
 * `npm run lies -- SEED COUNT [RECORD [FIELD]]`: at least COUNT lies about each field of each record's messages, in
 * runs drawn from seeds from SEED on.
 */
import { drawRun, fieldsOf, records, tryLie } from './try-lie.js'

const [first = 1, count = 20] = process.argv.slice(2, 4).map(Number)
const only = process.argv[4]
const onlyField = process.argv[5]
const all = { lies: 0, runs: 0, ended: 0, failed: 0 }

for (const record of records.filter(({ name }) => only === undefined || name === only)) {
  const own = { lies: 0, runs: 0, ended: 0 }
  for (const field of await fieldsOf(record)) {
    if (onlyField !== undefined && onlyField !== field) continue
    // A run may end before the liar has sent the message that it would change.
    for (let seed = first, told = 0; told < count && seed < first + 3 * count; seed++) {
      const { lies, hasEnded, wrong } = await tryLie(drawRun(record, field, seed))
      told += lies
      own.lies += lies
      own.runs++
      if (hasEnded) own.ended++
      if (wrong.length === 0) continue
      all.failed++
      const again = `npm run lies -- ${seed} 1 ${record.name} '${field}'`
      process.stdout.write(`${record.name}, ${field}:\n  ${wrong.join('\n  ')}\n  to see it again: ${again}\n`)
    }
  }
  process.stdout.write(`${record.name}: ${own.lies} lies in ${own.runs} runs, ${own.ended} ended with the liar named\n`)
  all.lies += own.lies
  all.runs += own.runs
  all.ended += own.ended
}
const { user, system } = process.cpuUsage()
const seconds = ((user + system) / 1e6).toFixed(0)
process.stdout.write(
  `${all.lies} lies in ${all.runs} runs from seed ${first}: ${all.failed} runs failed; ${seconds} s of processor time\n`
)
process.exitCode = all.failed > 0 ? 1 : 0
