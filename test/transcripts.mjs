/** Rewrites all transcripts with what comes out now, and prints what has changed. */
import { readdirSync } from 'node:fs'
import { rewriteTranscripts } from '@murmuration/contract'

const root = new URL('../', import.meta.url)
const places = [...readdirSync(new URL('packages/', root)).map((name) => `packages/${name}`), 'test']
const drivers = places.flatMap((place) =>
  readdirSync(new URL(`${place}/src/`, root), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /(^|\/)transcripts\.test\.support\.ts$/.test(file))
    .map((file) => `${place}/dist/${file.replace(/ts$/, 'js')}`)
)
let count = 0
for (const driver of drivers) {
  const { protocol } = await import(new URL(driver, root))
  for (const [path, lines] of await rewriteTranscripts(protocol)) {
    count++
    console.log(`${path.slice(root.pathname.length)}\n${lines.join('\n')}\n`)
  }
}
console.log(
  count === 0 ? 'No transcript has changed.' : `Transcripts that have changed: ${count}. Review them as code.`
)
