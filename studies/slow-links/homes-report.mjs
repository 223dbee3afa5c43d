// The tables and the picture of studies/slow-links-64.md, from the results of homes.mjs:
//
//   node studies/slow-links/homes-report.mjs RESULTS.jsonl PICTURE.svg
//
// The time of the merge is added for gossip, and for methods that never exchange. The table of all methods and the
// picture are of the seeds that chose, so they flatter what they chose; who is faster is of the fresh seeds.
import { writeFileSync } from 'node:fs'
import { ratioInterval } from '@murmuration/experiment/sim'
import { bestOf, choosing, fresh } from './cells.mjs'
import { median, verdictOn } from './choice.mjs'
import { cells, peers } from './homes-cells.mjs'
import { chosenInHomes, mergeInHomes, tunedIn } from './homes-choice.mjs'
import { methods } from './homes-methods.mjs'
import { openResults } from './results.mjs'

const [file, picture] = process.argv.slice(2)
if (picture === undefined) throw new Error('expected the results, and the path of the picture')
const { known } = openResults(file)
const { merge } = known.get('merge | parameter server, int8')
const lines = [...known.values()].filter(({ method }) => method !== undefined)
const seconds = (ms) => (ms === Infinity ? '–' : (ms / 1000).toFixed(ms >= 9_995 ? 1 : 2))

/**
 * Medians over the seeds for choosing, if at least half of them reach the target; and the reason of one that does not.
 */
function taken(method, cell) {
  const { name, family, isMerged, configs } = method
  const [place] = bestOf(known, name, tunedIn(cell), choosing[0])
  const runs = lines.filter((line) => line.method === name && line.place === place && choosing.includes(line.seed) && line.key.endsWith(`| ${cell.name}`)) // oxfmt-ignore
  if (runs.length === 0) return { name, family, isMerged, ms: Infinity, range: [], seeds: 0 }
  const extra = mergeInHomes(known, method)
  const ms = runs.map((run) => (run.ms[cell.name] ?? Infinity) + extra)
  const bytes = runs.flatMap((run) => run.bytes ?? [])
  return { name, family, isMerged, config: configs[place], ms: median(ms), range: [Math.min(...ms), Math.max(...ms)], megabytes: bytes.length === 0 ? undefined : median(bytes) / peers.length / 1e6, reason: runs.find(({ reason }) => reason !== undefined)?.reason, seeds: runs.length } // oxfmt-ignore
}

const byCell = cells.map((cell) => ({ cell, all: methods.map((method) => taken(method, cell)) }))
const rowOf = (cellsOfRow) => `| ${cellsOfRow.join(' | ')} |`

console.log(rowOf(['method', 'side', ...cells.map(({ name }) => `${name}, s (MB)`)]))
console.log(rowOf(['---', '---', ...cells.map(() => '---')]))
for (const [place, { name, family }] of methods.entries())
  console.log(rowOf([name, family, ...byCell.map(({ all }) => { const { ms, megabytes } = all[place]; return ms === Infinity ? '–' : `${seconds(ms)} (${megabytes.toFixed(1)})` })])) // oxfmt-ignore

/**
 * A chosen method with the fresh seeds; a run that does not reach the target counts with the time at which it ended.
 */
function measured({ method, place }, cell) {
  const runs = fresh.map((seed) => known.get(`${method.name} | ${place} | ${seed} | ${cell.name}`))
  const ms = runs.map((run) => (run.ms[cell.name] ?? run.end) + mergeInHomes(known, method))
  return { name: method.name, ms, misses: runs.filter((run) => run.ms[cell.name] === undefined).length }
}
const timesOf = ({ ms, misses }) => `${seconds(median(ms))} (${seconds(Math.min(...ms))}–${seconds(Math.max(...ms))}${misses === 0 ? '' : `; ${misses} of ${fresh.length} missed`})` // oxfmt-ignore
function intervalOf(one, other) {
  const { ratio, low, high } = ratioInterval(one.ms, other.ms)
  return `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`
}

console.log(`\n${rowOf(['cell', 'best gossip', 's', 'central', 's', 'central / gossip', 'faster'])}`)
console.log(rowOf(Array.from({ length: 7 }, () => '---')))
for (const { cell } of byCell) {
  const chosen = chosenInHomes(known, cell)
  const times = new Map([...chosen.gossip, ...chosen.central, ...chosen.serverless].map((one) => [one, measured(one, cell)])) // oxfmt-ignore
  const [gossips, centrals] = [chosen.gossip, chosen.central].map((list) => list.map((one) => times.get(one)))
  const verdict = verdictOn(gossips, centrals)
  for (const [k, one] of [...new Set([...chosen.central, ...chosen.serverless])].entries()) {
    const other = times.get(one)
    console.log(rowOf([cell.name, gossips[0].name, timesOf(gossips[0]), other.name, timesOf(other), intervalOf(other, gossips[0]), k === 0 ? verdict : ''])) // oxfmt-ignore
  }
}
console.log('\nSettings, the range over the seeds, and why the target was not reached:\n')
for (const { cell, all } of byCell)
  for (const { name, config, range, reason, seeds: count } of all.filter(({ config }) => config !== undefined))
    console.log(`* ${cell.name}, ${name}: ${JSON.stringify(config)}; ${range.map(seconds).join(' to ')} s (${count} seeds)${reason === undefined ? '' : `; ${reason}`}`) // oxfmt-ignore
for (const { name } of methods) {
  const runs = lines.filter(({ method }) => method === name)
  if (runs.every(({ ms }) => Object.keys(ms).length === 0)) console.log(`* ${name}, in no setting: ${[...new Set(runs.map(({ reason }) => reason))].join('; ')}`) // oxfmt-ignore
}
console.log(`\nmerge: ${merge.toFixed(0)} ms through a cloud, ${known.get('merge | all-reduce, int8').merge.toFixed(0)} ms by a direct all-reduce; runs: ${lines.length}; processor time: ${[...known.values()].reduce((sum, { cpu }) => sum + cpu, 0).toFixed(0)} s`) // oxfmt-ignore

// The picture: a panel per cell, a bar per method, on a logarithmic scale from 1 to 60 s.
const left = 230
const top = 62
const row = 17
const width = 240
const gap = 42
const across = (ms) => (width * Math.log(Math.max(1, ms / 1000))) / Math.log(60)
const text = (x, y, what, rest = '') => `<text x="${x}" y="${y}" ${rest}>${what}</text>`
const parts = byCell.flatMap(({ cell, all }, panel) => {
  const x = left + (panel % 2) * (width + 70)
  const y0 = top + Math.floor(panel / 2) * (methods.length * row + gap)
  const names = { plain: 'all alike, all there', both: 'stragglers and churn' }
  const bars = all.flatMap(({ name, family, ms }, place) => {
    const y = y0 + place * row
    const bar = ms === Infinity ? [] : [`<rect class="${family}" x="${x}" y="${y}" width="${across(ms).toFixed(1)}" height="${row - 4}" rx="2"/>`] // oxfmt-ignore
    const label = panel % 2 === 0 ? [text(left - 8, y + 11, name, 'text-anchor="end"')] : []
    return [...bar, ...label, text(x + (ms === Infinity ? 0 : across(ms)) + 5, y + 11, ms === Infinity ? '–' : `${seconds(ms)} s`, 'class="in"')] // oxfmt-ignore
  })
  return [text(x, y0 - 8, names[cell.name] ?? cell.name, 'class="name"'), ...bars]
})
const bottom = top + 2 * methods.length * row + gap + 18
const heading = '64 peers: seconds until the merged model, the merge included, has 95 % of plain SGD’s accuracy'
const style = `text{font:12px system-ui,sans-serif;fill:#5b606b}.name{fill:#1b1d22;font-weight:600}.in{fill:#1b1d22}.gossip{fill:#4fb394}.central{fill:#dfa844}
@media(prefers-color-scheme:dark){text{fill:#a3a9b5}.name,.in{fill:#e8eaee}.gossip{fill:#2c8a6a}.central{fill:#a87a22}}`
writeFileSync(
  picture,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 820 ${bottom + 14}" width="820" height="${bottom + 14}" role="img">
<title>An MLP on digits, ${heading}: each method, in four cells</title>
<style>${style}</style>
${text(16, 20, heading, 'class="name"')}
<rect class="gossip" x="${left}" y="${bottom - 11}" width="14" height="12" rx="2"/>${text(left + 20, bottom, 'gossip')}
<rect class="central" x="${left + 90}" y="${bottom - 11}" width="14" height="12" rx="2"/>${text(left + 110, bottom, 'central')}
${text(left + 190, bottom, 'logarithmic; “–” is not reached', '')}
${parts.join('\n')}
</svg>
`
)
