// The picture and the table of docs/use/parameter-services.md of what a set takes with more services, against Redis
// with one:
//
//   node packages/stores/bench/services.mjs 2000 > busy.txt
//   node packages/stores/bench/services.mjs 300 1 1000 > paused.txt
//   node packages/stores/bench/set-times.mjs busy.txt paused.txt docs/images/set-times.svg
//
// Published: Atre, Jha and Rao 2021, arXiv 2103.08894: more than 2,000 sets of 21 MB, seconds of a set.
import { readFile, writeFile } from 'node:fs/promises'

const [busyFile, pausedFile, out] = process.argv.slice(2)
if (out === undefined) throw new Error('expected two files that services.mjs has printed, and the path of the picture')
const published = new Map([['redis 1', 0.74], ['redis 3', 0.87], ['redis 5', 1], ['mysql 3', 1.29]]) // oxfmt-ignore
const labels = { redis: 'Redis', mysql: 'MySQL' }

/** Seconds of a set by store and number of services, of what services.mjs printed. */
async function measured(path) {
  const lines = (await readFile(path, 'utf8')).trim().split('\n')
  return new Map(
    lines.map((line) => {
      const [store, ...words] = line.split(/ +/)
      const figures = Object.fromEntries(words.flatMap((word, place) => (place % 2 === 0 ? [[word, words[place + 1]]] : []))) // oxfmt-ignore
      return [`${store} ${figures.services}`, figures.msPerSet / 1000]
    })
  )
}

const series = [
  { name: 'published', times: published },
  { name: 'here, a pause after each set', times: await measured(pausedFile) },
  { name: 'here, all the time', times: await measured(busyFile) }
]
const rows = ['redis 1', 'redis 3', 'redis 5', 'redis 6', 'mysql 3'].map((key) => {
  const [store, count] = key.split(' ')
  const cells = series.map(({ times }) => ({ seconds: times.get(key), ratio: times.get(key) / times.get('redis 1') }))
  return { label: `${labels[store]}, ${count} service${count === '1' ? '' : 's'}`, cells }
})
const timeOf = (seconds) => `${(1000 * seconds).toFixed(0)} ms`
console.log(`| time of a set, against Redis with 1 service | ${series.map(({ name }) => name).join(' | ')} |`)
console.log(`| --- |${' --- |'.repeat(series.length)}`)
for (const { label, cells } of rows)
  console.log(`| ${label} | ${cells.map(({ seconds, ratio }) => (seconds === undefined ? '' : `${ratio.toFixed(2)} (${timeOf(seconds)})`)).join(' | ')} |`) // oxfmt-ignore
const versus = series.map(({ times }) => (times.get('mysql 3') / times.get('redis 5')).toFixed(2))
console.log(`| MySQL with 3 against Redis with 5 | ${versus.join(' | ')} |`)

const width = 790
const left = 150
const right = 120
const top = 82
const bar = 16
const gap = 14
const most = Math.max(...rows.flatMap(({ cells }) => cells.map(({ ratio }) => ratio)).filter((ratio) => ratio > 0))
const text = (x, y, what, rest = '') => `<text x="${x}" y="${y}" ${rest}>${what}</text>`
const colours = ['#9ca3af', '#16a34a', '#2563eb']
const legend = series.map(({ name }, place) => {
  const x = 16 + 230 * place
  return `<rect x="${x}" y="44" width="14" height="14" fill="${colours[place]}"/>${text(x + 20, 56, name, 'class="small"')}`
})
let y = top
const parts = rows.flatMap(({ label, cells }) => {
  const shown = cells.flatMap((cell, place) => (cell.seconds === undefined ? [] : [{ ...cell, place }]))
  const start = y
  const bars = shown.map(({ seconds, ratio, place }) => {
    const length = ((width - left - right) * ratio) / most
    const rect = `<rect x="${left}" y="${y}" width="${length.toFixed(1)}" height="${bar - 2}" rx="2" fill="${colours[place]}"/>`
    const caption = text((left + length + 6).toFixed(1), y + 12, `${ratio.toFixed(2)}, ${timeOf(seconds)}`, 'class="small"') // oxfmt-ignore
    y += bar
    return rect + caption
  })
  y += gap
  return [text(left - 10, (start + y - gap) / 2 + 5, label, 'text-anchor="end"'), ...bars]
})
const style = 'text{font:14px system-ui,sans-serif;fill:#1f2937}.small{font-size:12px;fill:#4b5563}.title{font-weight:600}.ground{fill:#fff}' // oxfmt-ignore
const title = text(16, 26, 'Time of a set of 21 MB, against Redis with one service', 'class="title"')
await writeFile(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-label="time of a set by the number of services, published and here"><style>${style}</style><rect class="ground" width="${width}" height="${y}"/>${title}${legend.join('')}${parts.join('')}</svg>\n`) // oxfmt-ignore
