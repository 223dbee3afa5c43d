// The picture and the table of docs/use/parameter-services.md, from the results of sim/parameter-services.yaml:
//
//   npm run sim -- sim/parameter-services.yaml --out services
//   node packages/stores/bench/picture.mjs services docs/images/parameter-services.svg
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const [folder, out] = process.argv.slice(2)
if (out === undefined) throw new Error('expected the folder of the results and the path of the picture')
const runs = (await readFile(join(folder, 'runs.jsonl'), 'utf8')).trim().split('\n').map((line) => JSON.parse(line)).filter(({ method }) => method !== undefined) // oxfmt-ignore
const names = ['1 service', '2 services', '3 services', '5 services', '6 services', 'averaging, 5 services', 'asynchronous parameter server', 'D-PSGD on a ring'] // oxfmt-ignore
const median = (values) => [...values].sort((left, right) => left - right)[values.length >> 1]
const rows = names.map((name) => {
  const own = runs.filter(({ method }) => method === name)
  const of = (pick) => median(own.map(pick))
  return {
    name,
    seconds: of(({ seconds }) => seconds),
    accuracy: of(({ curve }) => curve.at(-1).accuracy),
    busiest: of(({ busiest }) => busiest.bytes / 1e9),
    perSet: of(({ store }) => (store?.secondsPerSet ?? Number.NaN) * 1000),
    lost: of(({ store }) => store?.overwritten ?? Number.NaN),
    sets: of(({ store }) => store?.sets ?? Number.NaN)
  }
})
const shown = (value, digits, unit = '') => (Number.isNaN(value) ? '' : `${value.toFixed(digits)}${unit}`)
console.log('| | time | accuracy | busiest machine | time of a set | overwritten |')
console.log('| --- | --- | --- | --- | --- | --- |')
for (const { name, seconds, accuracy, busiest, perSet, lost, sets } of rows)
  console.log(`| ${name} | ${shown(seconds, 0, ' s')} | ${shown(100 * accuracy, 1, ' %')} | ${shown(busiest, 1, ' GB')} | ${shown(perSet, 1, ' ms')} | ${Number.isNaN(lost) ? '' : `${lost} of ${sets}`} |`) // oxfmt-ignore

const width = 790
const left = 240
const right = 190
const top = 52
const step = 30
const most = Math.max(...rows.map(({ seconds }) => seconds))
const x = (seconds) => ((width - left - right) * seconds) / most
const text = (a, b, what, rest = '') => `<text x="${a}" y="${b}" ${rest}>${what}</text>`
const parts = rows.flatMap(({ name, seconds, accuracy, lost, sets }, place) => {
  const y = top + place * step
  const loss = Number.isNaN(lost) ? '' : `, ${Math.round((100 * lost) / sets)} % overwritten`
  return [
    text(left - 10, y + 15, name, 'text-anchor="end"'),
    `<rect class="${name.startsWith('D-PSGD') ? 'gossip' : 'served'}" x="${left}" y="${y}" width="${x(seconds).toFixed(1)}" height="20" rx="2"/>`,
    text(
      left + x(seconds) + 8,
      y + 15,
      `${seconds.toFixed(0)} s, ${(100 * accuracy).toFixed(0)} %${loss}`,
      'class="small"'
    )
  ]
})
const height = top + rows.length * step + 10
const style = 'text{font:14px system-ui,sans-serif;fill:#1f2937}.small{font-size:12px;fill:#4b5563}.title{font-weight:600}.served{fill:#2563eb}.gossip{fill:#16a34a}.ground{fill:#fff}' // oxfmt-ignore
const title = text(16, 26, 'Time of 300 steps of six workers, 21 MB a message, lines of 1 Gbit/s; accuracy', 'class="title"') // oxfmt-ignore
await writeFile(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="time by the number of services, and of D-PSGD"><style>${style}</style><rect class="ground" width="${width}" height="${height}"/>${title}${parts.join('')}</svg>\n`) // oxfmt-ignore
