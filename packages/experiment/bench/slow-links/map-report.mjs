// The tables and the picture of docs/slow-links.md, from the results of map.mjs:
//
//   node packages/experiment/bench/slow-links/map-report.mjs RESULTS.jsonl PICTURE.svg [own|mean] [mlp|large|cnn]
//
// If the mean model was evaluated, the time of the merge is added for gossip, and for methods that never exchange: one all-reduce in int8,
// as measured.
import { readFileSync, writeFileSync } from 'node:fs'
import { bandwidths, bestOf, latencies, seeds } from './cells.mjs'
import { peersOf } from './engine.mjs'
import { mapOf } from './networks.mjs'

const [file, picture, judge = 'own', network = 'mlp'] = process.argv.slice(2)
if (picture === undefined) throw new Error('expected the results, and the path of the picture')
const lines = readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line)) // oxfmt-ignore
const { cells, methods: allMethods } = mapOf(network, peersOf(16))
/** The methods with runs. */
const methods = allMethods.filter(({ name }) => lines.some(({ method }) => method === name))
const known = new Map(lines.map((line) => [line.key, line]))
const median = (list) => [...list].sort((left, right) => left - right)[(list.length - 1) >> 1]

/** The time of a direct all-reduce in int8 in a cell, without the step before. */
function mergeMs({ name, hasStragglers }) {
  const run = lines.find((line) => line.method === 'all-reduce, int8' && line.ms[name] !== undefined)
  return run.ms[name] / run.round - (hasStragglers ? 40 : 10)
}

/** The time of a method in a cell: the median over the seeds, with the setting that was fastest with the first seed. */
function taken({ name, family, isMerged, configs }, cell) {
  const [place] = bestOf(known, name, cell.name, seeds[0])
  if (place === undefined) return { name, family, ms: Infinity }
  const of = (seed) => lines.find((line) => line.method === name && line.place === place && line.seed === seed && (!line.key.includes('Mbit') || line.key.endsWith(`| ${cell.name}`))) // oxfmt-ignore
  const runs = seeds.map(of).filter((run) => run !== undefined)
  const extra = judge === 'mean' && (family === 'gossip' || isMerged) ? mergeMs(cell) : 0
  const ms = runs.map((run) => (run.ms[cell.name] ?? Infinity) + extra)
  return { name, family, ms: median(ms), range: [Math.min(...ms), Math.max(...ms)], bytes: median(runs.map((run) => run.bytes)) / 16, config: configs[place], seeds: runs.length } // oxfmt-ignore
}

const byCell = cells.map((cell) => ({ cell, all: methods.map((method) => taken(method, cell)) }))
const fastest = (all, family) => all.filter((one) => one.family === family).reduce((best, one) => (one.ms < best.ms ? one : best)) // oxfmt-ignore
const seconds = (ms) => ms === Infinity ? '–' : ms >= 99_950 ? (ms / 1000).toFixed(0) : ms >= 9_995 ? (ms / 1000).toFixed(1) : (ms / 1000).toFixed(2) // oxfmt-ignore
const megabytes = (bytes) => (bytes === undefined ? '–' : (bytes / 1e6).toFixed(2))
/** Two methods tie if their times differ by at most this fraction. */
const tie = 0.05
const verdictOf = (central, gossip) => Math.abs(gossip.ms / central.ms - 1) <= tie ? 'tie' : gossip.ms < central.ms ? 'gossip' : 'central' // oxfmt-ignore

console.log(
  '| links | best central | s | MB | best gossip | s | MB | gossip / central | D-PSGD, s | D-PSGD / best gossip |'
)
console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |')
for (const { cell, all } of byCell) {
  const [central, gossip] = [fastest(all, 'central'), fastest(all, 'gossip')]
  const plain = all.find(({ name }) => name === 'D-PSGD')
  console.log(`| ${cell.name} | ${central.name} | ${seconds(central.ms)} | ${megabytes(central.bytes)} | ${gossip.name} | ${seconds(gossip.ms)} | ${megabytes(gossip.bytes)} | ${(gossip.ms / central.ms).toFixed(2)}: ${verdictOf(central, gossip)} | ${seconds(plain.ms)} | ${(plain.ms / gossip.ms).toFixed(1)} |`) // oxfmt-ignore
}
for (const hasStragglers of [false, true]) {
  const some = byCell.filter(({ cell }) => cell.hasStragglers === hasStragglers)
  console.log(`\n${hasStragglers ? 'With' : 'Without'} stragglers, seconds to the target:\n`)
  console.log(`| Mbit/s, ms | ${some.map(({ cell }) => `${cell.mbits}, ${cell.latency}`).join(' | ')} |`)
  console.log(`| --- |${' --- |'.repeat(some.length)}`)
  const shown = [...methods.keys()].filter((place) => some.some(({ all }) => all[place].ms < Infinity))
  for (const place of shown) console.log(`| ${methods[place].name} | ${some.map(({ all }) => seconds(all[place].ms)).join(' | ')} |`) // oxfmt-ignore
}
/** Prints the settings of the methods that were run in a cell. */
function printSettings(cellName, isShown) {
  console.log(`\nSettings at ${cellName}, and the range over the seeds:\n`)
  const { all } = byCell.find(({ cell }) => cell.name === cellName)
  for (const { config, name, range = [], seeds: count } of all.filter(isShown))
    console.log(`* ${name}: ${JSON.stringify(config)}; ${range.map(seconds).join(' to ')} s (${count} seeds)`)
}
const isOwnPace = ({ name }) => methods.find((method) => method.name === name).isOwnPace === true
printSettings('1 Mbit/s, 50 ms', (one) => one.ms < Infinity)
if (methods.some(isOwnPace)) printSettings('20 Mbit/s, 50 ms, stragglers', isOwnPace)
const ratios = byCell.map(({ cell, all }) => ({ cell, ratio: fastest(all.filter((one) => !methods.find(({ name }) => name === one.name).isMerged), 'central').ms / fastest(all, 'gossip').ms })) // oxfmt-ignore
console.log(`\nAgainst central methods that exchange, gossip is so many times as fast: ${ratios.map(({ cell, ratio }) => `${cell.name}: ${ratio.toFixed(2)}`).join('; ')}`) // oxfmt-ignore
const counts = (some) => ['gossip', 'tie', 'central'].map((verdict) => `${verdict} ${some.filter(({ all }) => verdictOf(fastest(all, 'central'), fastest(all, 'gossip')) === verdict).length}`).join(', ') // oxfmt-ignore
for (const hasStragglers of [false, true]) console.log(`${hasStragglers ? 'with' : 'without'} stragglers: ${counts(byCell.filter(({ cell }) => cell.hasStragglers === hasStragglers))}`) // oxfmt-ignore
for (const { name, configs } of methods) console.log(`${name}: ${new Set(lines.filter(({ method }) => method === name).map(({ place }) => place)).size} of ${configs.length} settings`) // oxfmt-ignore
console.log(`processor time: ${lines.reduce((sum, { cpu }) => sum + cpu, 0).toFixed(0)} s`)

// The picture: a square per cell, in the colour of the family that is faster.
const [left, top, width, height, gap] = [84, 68, 160, 56, 64]
const text = (x, y, what, rest = '') => `<text x="${x}" y="${y}" ${rest}>${what}</text>`
const parts = []
for (const [panel, hasStragglers] of [false, true].entries()) {
  const y0 = top + panel * (4 * height + gap)
  parts.push(text(left, y0 - 24, hasStragglers ? 'two of the sixteen peers compute four times as slowly' : 'all peers compute alike', 'class="name"')) // oxfmt-ignore
  for (const [column, latency] of latencies.entries()) parts.push(text(left + column * width + width / 2, y0 - 7, `${latency} ms`, 'text-anchor="middle"')) // oxfmt-ignore
  for (const [row, mbits] of bandwidths.entries()) {
    const y = y0 + row * height
    parts.push(text(left - 8, y + height / 2 + 4, `${mbits} Mbit/s`, 'text-anchor="end"'))
    for (const [column, latency] of latencies.entries()) {
      const x = left + column * width
      const found = byCell.find(({ cell }) => cell.mbits === mbits && cell.latency === latency && cell.hasStragglers === hasStragglers) // oxfmt-ignore
      if (found === undefined) continue
      const { all } = found
      const [central, gossip] = [fastest(all, 'central'), fastest(all, 'gossip')]
      const verdict = verdictOf(central, gossip)
      const plain = all.find(({ name }) => name === 'D-PSGD')
      parts.push(
        `<rect class="${verdict}" x="${x + 1}" y="${y + 1}" width="${width - 2}" height="${height - 2}" rx="3"/>`
      )
      parts.push(text(x + 8, y + 17, `gossip ${seconds(gossip.ms)} s`, `class="${verdict === 'central' ? 'in' : 'in bold'}"`)) // oxfmt-ignore
      parts.push(text(x + 8, y + 32, `central ${seconds(central.ms)} s`, `class="${verdict === 'gossip' ? 'in' : 'in bold'}"`)) // oxfmt-ignore
      parts.push(text(x + 8, y + 47, `D-PSGD ${seconds(plain.ms)} s`, 'class="in"'))
    }
  }
}
const bottom = top + 2 * 4 * height + gap + 26
for (const [place, [kind, what]] of [
  ['gossip', 'gossip is faster'],
  ['tie', 'within 5 %'],
  ['central', 'a central method is faster']
].entries()) {
  // oxfmt-ignore
  parts.push(`<rect class="${kind}" x="${left + place * 190}" y="${bottom - 11}" width="14" height="14" rx="2"/>`)
  parts.push(text(left + place * 190 + 20, bottom, what))
}
const whose = judge === 'mean' ? 'the merged model, the merge included, has' : 'the peers’ own models have'
const what = { mlp: 'an MLP', large: 'a larger MLP', cnn: 'a CNN' }[network]
const heading = `${what} on digits: seconds until ${whose} 95 % of plain SGD’s accuracy`
const style = `text{font:12px system-ui,sans-serif;fill:#5b606b}.name{fill:#1b1d22;font-weight:600}.in{fill:#1b1d22;font-size:12px}.bold{font-weight:700}
.gossip{fill:#bfe3d6}.tie{fill:#e4e5ea}.central{fill:#f6dfb3}
@media(prefers-color-scheme:dark){text{fill:#a3a9b5}.name,.in{fill:#e8eaee}.gossip{fill:#14513f}.tie{fill:#3a3e48}.central{fill:#66490f}}`
writeFileSync(
  picture,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 ${bottom + 16}" width="740" height="${bottom + 16}" role="img">
<title>${heading}: the best gossip method, the best central one, and D-PSGD, over bandwidth and latency</title>
<style>${style}</style>
${text(left, 18, heading, 'class="name"')}
${parts.join('\n')}
</svg>
`
)
