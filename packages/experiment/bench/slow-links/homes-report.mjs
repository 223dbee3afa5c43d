// The tables of docs/slow-links-64.md, from what homes.mjs has computed:
//
//   node packages/experiment/bench/slow-links/homes-report.mjs RESULTS.jsonl
//
// Gossip, and what never exchanges, is charged for the merge.
import { bestOf } from './cells.mjs'
import { cells, peers, seeds } from './homes-cells.mjs'
import { methods } from './homes-methods.mjs'
import { openResults } from './results.mjs'

const { known } = openResults(process.argv[2])
const { merge } = known.get('merge | parameter server, int8')
const lines = [...known.values()].filter(({ method }) => method !== undefined)
const median = (list) => [...list].sort((left, right) => left - right)[(list.length - 1) >> 1]
const seconds = (ms) => (ms === Infinity ? '–' : (ms / 1000).toFixed(ms >= 9_995 ? 1 : 2))

/** Medians over the seeds, where at least half of them reach the target; and why one of them does not. */
function taken({ name, family, isMerged, configs }, cell) {
  const [place] = bestOf(known, name, cell.hasStragglers ? 'stragglers' : 'plain', seeds[0])
  const runs = lines.filter((line) => line.method === name && line.place === place && line.key.endsWith(`| ${cell.name}`)) // prettier-ignore
  if (runs.length === 0) return { name, family, isMerged, ms: Infinity, range: [], seeds: 0 }
  const extra = family === 'gossip' || isMerged ? merge : 0
  const ms = runs.map((run) => (run.ms[cell.name] ?? Infinity) + extra)
  const bytes = runs.flatMap((run) => run.bytes ?? [])
  return { name, family, isMerged, config: configs[place], ms: median(ms), range: [Math.min(...ms), Math.max(...ms)], megabytes: bytes.length === 0 ? undefined : median(bytes) / peers.length / 1e6, reason: runs.find(({ reason }) => reason !== undefined)?.reason, seeds: runs.length } // prettier-ignore
}

const byCell = cells.map((cell) => ({ cell, all: methods.map((method) => taken(method, cell)) }))
const fastest = (all) => all.reduce((best, one) => (one.ms < best.ms ? one : best))
const rowOf = (cellsOfRow) => `| ${cellsOfRow.join(' | ')} |`

console.log(rowOf(['method', 'side', ...cells.map(({ name }) => `${name}, s (MB)`)]))
console.log(rowOf(['---', '---', ...cells.map(() => '---')]))
for (const [place, { name, family }] of methods.entries())
  console.log(rowOf([name, family, ...byCell.map(({ all }) => { const { ms, megabytes } = all[place]; return ms === Infinity ? '–' : `${seconds(ms)} (${megabytes.toFixed(1)})` })])) // prettier-ignore

console.log(`\n${rowOf(['cell', 'best gossip', 's', 'best central', 's', 'central / gossip', 'best central without a server', 's', 'central / gossip'])}`) // prettier-ignore
console.log(rowOf(Array.from({ length: 9 }, () => '---')))
for (const { cell, all } of byCell) {
  const gossip = fastest(all.filter(({ family }) => family === 'gossip'))
  const central = all.filter(({ family }) => family === 'central')
  const best = [fastest(central), fastest(central.filter(({ config }) => config?.server === undefined))]
  const ratio = ({ ms }) => (ms === Infinity ? 'none reaches it' : (ms / gossip.ms).toFixed(2))
  console.log(rowOf([cell.name, gossip.name, seconds(gossip.ms), ...best.flatMap((one) => [one.ms === Infinity ? '–' : one.name, seconds(one.ms), ratio(one)])])) // prettier-ignore
}
console.log('\nSettings, the range over the seeds, and why the target was not reached:\n')
for (const { cell, all } of byCell)
  for (const { name, config, range, reason, seeds: count } of all)
    console.log(`* ${cell.name}, ${name}: ${JSON.stringify(config)}; ${range.map(seconds).join(' to ')} s (${count} seeds)${reason === undefined ? '' : `; ${reason}`}`) // prettier-ignore
console.log('\nOf those that reached it in no setting:\n')
for (const { key, reason } of lines) if (reason !== undefined && key.includes('| 1 | plain')) console.log(`* ${key}: ${reason}`) // prettier-ignore
console.log(`\nmerge: ${merge.toFixed(0)} ms through a cloud, ${known.get('merge | all-reduce, int8').merge.toFixed(0)} ms by a direct all-reduce; runs: ${lines.length}; processor time: ${[...known.values()].reduce((sum, { cpu }) => sum + cpu, 0).toFixed(0)} s`) // prettier-ignore
