// The tables and the picture of studies/slow-links.md, from the results of map.mjs:
//
//   node studies/slow-links/map-report.mjs RESULTS.jsonl PICTURE.svg [own|mean] [mlp|large|cnn]
//
// All figures are of the fresh seeds, which have chosen nothing. If the mean model was evaluated, the time of the merge
// is added for gossip, and for methods that never exchange: one all-reduce in int8.
import { writeFileSync } from 'node:fs'
import { sampleStandardDeviation } from 'simple-statistics'
import { isTie, ratioInterval } from '@murmuration/experiment/sim'
import { bandwidths, fresh, latencies } from './cells.mjs'
import { chosenIn, lineOf, median, mergeOf, verdictOn } from './choice.mjs'
import { isCompared } from './compared.mjs'
import { peersOf } from './engine.mjs'
import { mapOf } from './networks.mjs'
import { openResults } from './results.mjs'

const [file, picture, judge = 'own', network = 'mlp'] = process.argv.slice(2)
if (picture === undefined) throw new Error('expected the results, and the path of the picture')
const { known } = openResults(file)
const { cells, methods } = mapOf(network, peersOf(16))

/**
 * A chosen method with the fresh seeds in a cell: its times in ms, and how often it did not reach the target, which
 * counts as the time of all its steps.
 */
function measured({ method, place }, cell) {
  const lines = fresh.map((seed) => lineOf(known, method, place, seed, cell))
  if (lines.includes(undefined)) return undefined
  const ms = lines.map((line) => (line.ms[cell.name] ?? line.end) + mergeOf(known, method, cell, judge))
  const misses = lines.filter((line) => line.ms[cell.name] === undefined).length
  return { name: method.name, config: method.configs[place], ms, misses }
}

/** Times of one divided by times of the other. */
const over = (left, right) => ratioInterval(left.ms, right.ms)

/** What was measured in a cell, and which family is faster. */
function outcomeIn(cell) {
  const tried = methods.filter((method) => isCompared(method, cell, judge, network))
  const chosen = chosenIn(known, tried, cell, judge)
  const of = (one) => (one?.method === undefined ? undefined : measured(one, cell))
  const [gossips, centrals] = [chosen.gossip, chosen.central].map((list) => list.map(of))
  if ([...gossips, ...centrals].includes(undefined)) return []
  const [gossip] = gossips
  const [central] = centrals
  const verdict = verdictOn(gossips, centrals)
  return [{ cell, gossip, gossips, central, centrals, exchanging: of(chosen.exchanging), plain: of(chosen.plain), verdict }] // oxfmt-ignore
}

const outcomes = cells.flatMap(outcomeIn)
const digits = (ms) => (ms >= 99_950 ? 0 : ms >= 9_995 ? 1 : 2)
const seconds = (ms) => (ms / 1000).toFixed(digits(ms))
const missesOf = ({ misses }) => (misses === 0 ? '' : `; ${misses} missed`)
const rangeOf = ({ ms }) => `${seconds(Math.min(...ms))}–${seconds(Math.max(...ms))}`
const timesOf = (one) => `${seconds(median(one.ms))} (${rangeOf(one)}${missesOf(one)})` // oxfmt-ignore
/** With a digit more near 1, so that an interval shows whether it includes 1. */
const times = (value) => value.toFixed(value >= 9.95 ? 0 : Math.abs(value - 1) < 0.005 ? 3 : 2)
const intervalOf = ({ ratio, low, high }) => `${times(ratio)} (${times(low)}–${times(high)})`
const brief = (name) =>
  name.replace(/(, | at own pace, )merged once|, all-reduce in few bits|, local steps|, quorum/, '')
const shown = (one) => `${brief(one.name)}, ${timesOf(one)}`
const row = (list) => console.log(`| ${list.join(' | ')} |`)

/** Every method exchanges if own models are judged, and D-PSGD is in the picture. */
const further = judge === 'mean' ? ['gossip / central that exchanges', 'D-PSGD / gossip'] : []
for (const hasStragglers of [false, true]) {
  console.log(`\n${hasStragglers ? 'With' : 'Without'} stragglers:\n`)
  row(['Mbit/s, ms', 'central, s', 'gossip, s', 'gossip / central', 'faster', ...further])
  row(Array.from({ length: 5 + further.length }, () => '---'))
  for (const { cell, gossip, central, exchanging, plain, verdict } of outcomes.filter((one) => one.cell.hasStragglers === hasStragglers)) // oxfmt-ignore
    row([`${cell.mbits}, ${cell.latency}`, shown(central), shown(gossip), intervalOf(over(gossip, central)), verdict, ...(further.length === 0 ? [] : [exchanging === central ? 'the same' : intervalOf(over(gossip, exchanging)), intervalOf(over(plain, gossip))])]) // oxfmt-ignore
}

console.log('\nThe next method of a side, if it was near with the seeds for choosing:\n')
row(['links', 'next central, s', 'best gossip / it', 'next gossip, s', 'it / best central'])
row(Array.from({ length: 5 }, () => '---'))
for (const { cell, gossip, gossips, central, centrals } of outcomes) {
  const nextGossip = gossips[1]
  const nextCentral = centrals[1]
  if (nextGossip === undefined && nextCentral === undefined) continue
  const compared = (one, ratio) => (one === undefined ? ['', ''] : [shown(one), intervalOf(ratio())])
  row([cell.name, ...compared(nextCentral, () => over(gossip, nextCentral)), ...compared(nextGossip, () => over(nextGossip, central))]) // oxfmt-ignore
}

console.log('\nSettings, and the cells for which they were chosen:\n')
const settings = new Map()
for (const { cell, gossips, centrals, exchanging, plain } of outcomes)
  for (const { name, config } of new Map(
    [...gossips, ...centrals, exchanging, plain].map((one) => [one.name, one])
  ).values()) {
    // oxfmt-ignore
    const { algorithm: _, ...rest } = config
    const key = `${name}: ${JSON.stringify(rest)}`
    settings.set(key, [...(settings.get(key) ?? []), cell.name])
  }
for (const [setting, names] of [...settings].toSorted()) console.log(`* ${setting}; ${names.join('; ')}`)

for (const hasStragglers of [false, true]) {
  const some = outcomes.filter(({ cell }) => cell.hasStragglers === hasStragglers)
  const counts = ['gossip', 'tie', 'central'].map((verdict) => `${verdict} ${some.filter((one) => one.verdict === verdict).length}`) // oxfmt-ignore
  const exchanging = some.map(({ gossip, exchanging: other }) => over(gossip, other))
  const wins = exchanging.filter(({ high }) => high < 1).length
  console.log(`\n${hasStragglers ? 'With' : 'Without'} stragglers: ${counts.join(', ')}; against central methods that exchange, gossip is faster in ${wins}, ties in ${exchanging.filter(isTie).length}`) // oxfmt-ignore
}
const spreads = outcomes.map(({ gossip, central }) => sampleStandardDeviation(gossip.ms.map((ms, k) => Math.log(ms / central.ms[k])))) // oxfmt-ignore
console.log(`\n${fresh.length} fresh seeds; the standard deviation of log(gossip / central) is ${median(spreads).toFixed(2)} in the median cell`) // oxfmt-ignore
console.log(`processor time: ${[...known.values()].reduce((sum, { cpu }) => sum + cpu, 0).toFixed(0)} s`)

// The picture: a square per cell, in the colour of the family that is faster; ties are hatched.
const left = 84
const top = 68
const width = 196
const height = 56
const gap = 64
const text = (x, y, what, rest = '') => `<text x="${x}" y="${y}" ${rest}>${what}</text>`
/** A rectangle, with stripes over it for a tie. */
const square = (kind, box, round) =>
  [`<rect class="${kind}" ${box} rx="${round}"/>`, ...(kind === 'tie' ? [`<rect fill="url(#stripes)" ${box} rx="${round}"/>`] : [])].join('') // oxfmt-ignore
const panels = [false, true].filter((hasStragglers) => outcomes.some(({ cell }) => cell.hasStragglers === hasStragglers)) // oxfmt-ignore
const parts = []
for (const [panel, hasStragglers] of panels.entries()) {
  const y0 = top + panel * (4 * height + gap)
  parts.push(text(left, y0 - 24, hasStragglers ? 'two of the sixteen peers compute four times as slowly' : 'all peers compute alike', 'class="name"')) // oxfmt-ignore
  for (const [column, latency] of latencies.entries()) parts.push(text(left + column * width + width / 2, y0 - 7, `${latency} ms`, 'text-anchor="middle"')) // oxfmt-ignore
  for (const [row, mbits] of bandwidths.entries()) {
    const y = y0 + row * height
    parts.push(text(left - 8, y + height / 2 + 4, `${mbits} Mbit/s`, 'text-anchor="end"'))
    for (const [column, latency] of latencies.entries()) {
      const x = left + column * width
      const found = outcomes.find(({ cell }) => cell.mbits === mbits && cell.latency === latency && cell.hasStragglers === hasStragglers) // oxfmt-ignore
      if (found === undefined) continue
      const { gossip, central, plain, verdict } = found
      const line = (name, one) => `${name} ${seconds(median(one.ms))} s (${rangeOf(one)})`
      parts.push(square(verdict, `x="${x + 1}" y="${y + 1}" width="${width - 2}" height="${height - 2}"`, 3))
      parts.push(text(x + 8, y + 17, line('gossip', gossip), `class="${verdict === 'gossip' ? 'in bold' : 'in'}"`))
      parts.push(text(x + 8, y + 32, line('central', central), `class="${verdict === 'central' ? 'in bold' : 'in'}"`))
      parts.push(text(x + 8, y + 47, `D-PSGD ${seconds(median(plain.ms))} s`, 'class="in"'))
    }
  }
}
const bottom = top + panels.length * (4 * height + gap) - gap + 26
for (const [place, [kind, what]] of [
  ['gossip', 'gossip is faster'],
  ['tie', 'a tie'],
  ['central', 'a central method is faster']
].entries()) {
  const x = left + place * 190
  parts.push(square(kind, `x="${x}" y="${bottom - 11}" width="14" height="14"`, 2))
  parts.push(text(x + 20, bottom, what))
}
parts.push(text(left + 4 * width, bottom, `median and range of ${fresh.length} seeds`, 'text-anchor="end"'))
const whose = judge === 'mean' ? 'the merged model, the merge included, has' : 'the peers’ own models have'
const what = { mlp: 'an MLP', large: 'a larger MLP', cnn: 'a CNN' }[network]
const heading = `${what} on digits: seconds until ${whose} 95 % of plain SGD’s accuracy`
const style = `text{font:12px system-ui,sans-serif;fill:#5b606b}.name{fill:#1b1d22;font-weight:600}.in{fill:#1b1d22;font-size:12px}.bold{font-weight:700}
.gossip{fill:#bfe3d6}.tie{fill:#eeeff2}.central{fill:#f6dfb3}.stripe{stroke:#c9ccd4}
@media(prefers-color-scheme:dark){text{fill:#a3a9b5}.name,.in{fill:#e8eaee}.gossip{fill:#14513f}.tie{fill:#33363f}.central{fill:#66490f}.stripe{stroke:#4c515c}}`
const across = left + 4 * width + 16
writeFileSync(
  picture,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${across} ${bottom + 16}" width="${across}" height="${bottom + 16}" role="img">
<title>${heading}: the best gossip method, the best central one, and D-PSGD, over bandwidth and latency</title>
<style>${style}</style>
<defs><pattern id="stripes" width="8" height="8" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path class="stripe" d="M0 0V8" stroke-width="3"/></pattern></defs>
${text(left, 18, heading, 'class="name"')}
${parts.join('\n')}
</svg>
`
)
