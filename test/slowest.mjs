/** Prints which files of the last "npm test" or "npm run check" took longest, as timed.mjs noted it. */
import { existsSync, readFileSync } from 'node:fs'

const file = new URL('./dist/times.jsonl', import.meta.url)
const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
const times = lines.map((line) => JSON.parse(line)).sort((a, b) => b.seconds - a.seconds)

/** A file that takes longer is a finding, on a quiet machine. */
const limit = 20

console.log(`${'clock'.padStart(8)}${'thread'.padStart(9)}   the slowest of ${times.length} files, in seconds`)
for (const { name, seconds, busy } of times.slice(0, 20)) {
  const remark = seconds > limit ? `   more than ${limit} s` : ''
  console.log(`${seconds.toFixed(1).padStart(8)}${busy.toFixed(1).padStart(9)}   ${name}${remark}`)
}
