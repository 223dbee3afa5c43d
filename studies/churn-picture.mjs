// The picture of studies/churn.md, and the table next to it, from the results of sim/churn.yaml:
//
//   npm run sim -- sim/churn.yaml --out churn && node studies/churn-picture.mjs churn docs/images/churn.svg
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { faultsOf, readScenario, runsOf, topologyOf } from '@murmuration/experiment/sim'

const [folder, out] = process.argv.slice(2)
if (out === undefined) throw new Error('expected the folder of the results and the path of the picture')
const scenario = await readScenario('sim/churn.yaml')
const lines = (await readFile(join(folder, 'runs.jsonl'), 'utf8')).trim().split('\n')
const records = scenario.methods.map(({ label }) => lines.map((line) => JSON.parse(line)).find((record) => record.method === label)) // oxfmt-ignore
const [run] = runsOf(scenario)
const { peers } = topologyOf(scenario, run).topology
const events = faultsOf(scenario, run, peers).events.filter(({ peer }) => peers.includes(peer))
const { churn, events: named } = scenario.faults
const end = scenario.stop.time / 1000
const begin = churn.after / 1000

/** The number of present peers after each crash and return: [seconds, peers]. */
const there = [[0, peers.length]]
for (const { at, kind } of events.filter(({ at }) => at < scenario.stop.time)) {
  there.push([at / 1000, there.at(-1)[1] + (kind === 'crash' ? -1 : 1)])
}
there.push([end, there.at(-1)[1]])
const crashes = events.filter(({ at, kind }) => kind === 'crash' && at < scenario.stop.time).length
const back = events.filter(({ at, kind }) => kind === 'restart' && at < scenario.stop.time).length

// The figures of the text.
const number = (value, digits) => value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits }) // oxfmt-ignore
const pointAt = ({ curve }, seconds) => curve.filter((point) => point.seconds <= seconds).at(-1)
console.log('| | loss at 30 s | in the end | accuracy in the end | steps a peer | consensus distance |')
console.log('| --- | --- | --- | --- | --- | --- |')
for (const record of records) {
  const before = pointAt(record, begin)
  const last = record.curve.at(-1)
  const cells = [record.method, number(before.loss, 3), number(last.loss, 3), `${number(100 * last.accuracy, 1)} %`, number(record.rounds, 0), number(last.consensusDistance, 3)] // oxfmt-ignore
  console.log(`| ${cells.join(' | ')} |`)
}
const area = there.slice(1).reduce((sum, [at], place) => sum + (at < begin ? 0 : (at - Math.max(begin, there[place][0])) * there[place][1]), 0) // oxfmt-ignore
console.log(`${crashes} crashes, ${back} came back; ${number(area / (end - begin), 0)} of ${peers.length} are there on average`) // oxfmt-ignore

// The picture: the loss above, and the number of present peers below, over the same time.
const width = 760
const left = 56
const right = 150
const upper = { top: 34, height: 210 }
const lower = { top: 286, height: 70 }
const most = Math.max(...records.flatMap(({ curve }) => curve.map(({ loss }) => loss)))
const x = (seconds) => left + ((width - left - right) * seconds) / end
const y = (loss) => upper.top + upper.height * (1 - loss / (Math.ceil(most * 2) / 2))
const z = (count) => lower.top + lower.height * (1 - count / peers.length)
const path = (points) => points.map(([a, b], place) => `${place === 0 ? 'M' : 'L'}${a.toFixed(1)} ${b.toFixed(1)}`).join('') // oxfmt-ignore
const text = (a, b, what, rest = '') => `<text x="${a}" y="${b.toFixed(1)}" ${rest}>${what}</text>`
const rule = (b) => `<line class="rule" x1="${left}" x2="${width - right}" y1="${b.toFixed(1)}" y2="${b.toFixed(1)}"/>`

const parts = []
for (let loss = 0; loss <= most; loss += 0.5) {
  parts.push(rule(y(loss)), text(left - 8, y(loss) + 4, loss.toFixed(1), 'text-anchor="end"'))
}
for (const count of [0, peers.length]) {
  parts.push(rule(z(count)), text(left - 8, z(count) + 4, number(count, 0), 'text-anchor="end"'))
}
for (let at = 0; at <= end; at += 30) parts.push(text(x(at), lower.top + lower.height + 18, `${at} s`, 'text-anchor="middle"')) // oxfmt-ignore
const labels = records
  .map((record, place) => ({ place, text: record.method, at: y(record.curve.at(-1).loss) }))
  .sort((one, other) => one.at - other.at)
labels.forEach((label, place) => (label.at = Math.max(label.at, (labels[place - 1]?.at ?? -Infinity) + 17)))
for (const { place, text: name, at } of labels) {
  const { curve, outcome } = records[place]
  const last = curve.at(-1)
  parts.push(`<path class="line s${place}" d="${path(curve.map(({ seconds, loss }) => [x(seconds), y(loss)]))}"/>`)
  if (outcome === 'failed') {
    const a = x(last.seconds)
    const b = y(last.loss)
    parts.push(
      `<path class="line s${place} over" d="${path([
        [a, b],
        [x(end), b]
      ])}"/>`
    )
    parts.push(`<path class="line s${place}" d="M${a - 5} ${b - 5}l10 10m0 -10l-10 10"/>`)
  }
  parts.push(text(width - right + 8, at + 4, name, `class="name t${place}"`))
}
const steps = there.flatMap(([at, count], place) => (place === 0 ? [[x(at), z(count)]] : [[x(at), z(there[place - 1][1])], [x(at), z(count)]])) // oxfmt-ignore
parts.push(`<path class="there" d="${path(steps)}"/>`)
parts.push(`<line class="begin" x1="${x(begin)}" x2="${x(begin)}" y1="${upper.top}" y2="${lower.top + lower.height}"/>`)
const told = `from here on ${number(100 * churn.perMinute, 0)} % of the peers crash a minute`
parts.push(text(x(begin) + 6, upper.top + 12, named.length > 0 ? `${told}; the server crashes once` : told))
parts.push(text(left, 18, 'loss of the mean model, on samples that nobody trains on', 'class="name"'))
parts.push(text(left, lower.top - 12, 'peers that are there', 'class="name"'))

const colours = {
  light: ['#85858f', '#0072b2', '#d08700', '#00916a'],
  dark: ['#94949e', '#4ea8e6', '#f0b030', '#22b68a']
}
const series = (list) => list.map((colour, place) => `.s${place}{stroke:${colour}}.t${place}{fill:${colour}}`).join('')
const style = `text{font:12px system-ui,sans-serif;fill:#5b606b}.name{fill:#1b1d22;font-weight:600}.line{fill:none;stroke-width:2}
.over{stroke-dasharray:3 4}.rule{stroke:#d9dce2}.begin{stroke:#b3261e;stroke-dasharray:4 3}.there{fill:none;stroke:#5b606b;stroke-width:1.5}${series(colours.light)}
@media(prefers-color-scheme:dark){text{fill:#a3a9b5}.name{fill:#e8eaee}.rule{stroke:#373b45}.begin{stroke:#ff8a80}.there{stroke:#a3a9b5}${series(colours.dark)}}`
const title = `The loss of ${records.map(({ method }) => method).join(', ')} over two minutes, and the number of peers that are there`
const height = lower.top + lower.height + 30
const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${title}</title>
<style>${style}</style>
${parts.join('\n')}
</svg>
`
await writeFile(out, picture)
