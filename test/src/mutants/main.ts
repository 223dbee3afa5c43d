/**
 * `npm run mutants -- [--package NAME] [--minutes M] [--seed S]`: puts small mistakes into what is built, one at a time, and
 * counts how many of them the tests notice. Mutants are drawn at random from the seed, as many as there is time for.
 */
import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createRandom } from '@murmuration/random'
import { filesUnder } from '../repository.js'
import { copyOfRepository } from './copy.js'
import { type Mutant, mutantsOf, mutated } from './mutations.js'
import { runTests } from './run.js'

/** The tests of each package: its own, and those in test/ that are about it. */
const tests: Readonly<Record<string, readonly string[]>> = {
  algorithms: ['oracles', 'contenders', 'collectives', 'parameter-servers', 'stale-synchronous'],
  topology: ['topologies'],
  simulator: ['collectives'],
  vectors: ['codecs']
}

const print = (line: string) => process.stdout.write(`${line}\n`)

interface Place extends Mutant {
  readonly file: string
  readonly program: string
}

/** All mutants of a package, in an order drawn from the seed. */
async function placesOf(folder: string, name: string, seed: number): Promise<readonly Place[]> {
  const built = filesUnder(`packages/${name}/dist`).filter((file) => /(?<!\.(test|support))\.js$/.test(file))
  const places: Place[] = []
  for (const file of built) {
    const program = await readFile(join(folder, file), 'utf8')
    places.push(...mutantsOf(program).map((mutant) => ({ ...mutant, file, program })))
  }
  const random = createRandom(seed, name)
  return places
    .map((place) => ({ place, key: random.uniform() }))
    .sort((left, right) => left.key - right.key)
    .map(({ place }) => place)
}

/** Tries mutants of a package until the time is over. Returns how many were killed of how many. */
async function tryPackage(folder: string, name: string, minutes: number, seed: number) {
  const files = [`packages/${name}/dist/**/*.test.js`, ...tests[name].map((test) => `test/dist/${test}.test.js`)]
  const places = await placesOf(folder, name, seed)
  const begin = performance.now()
  if ((await runTests(folder, files)) !== 'passed') throw new Error(`the tests of ${name} fail without a mutant`)
  const start = performance.now()
  const limit = 30_000 + 5 * (start - begin)
  let [killed, tried] = [0, 0]
  for (const place of places) {
    if (performance.now() - start > minutes * 60_000) break
    tried++
    if (await isNoticed(folder, place, files, limit)) killed++
    else print(`survived: ${describe(place)}`)
  }
  print(`${name}: ${killed} of ${tried} killed, drawn from ${places.length} with seed ${seed}`)
  return { killed, tried }
}

/** Whether tests fail, or hang, with the mutant: first those of the file that it is in, which are the likeliest to, then all. */
async function isNoticed(folder: string, place: Place, files: readonly string[], limit: number): Promise<boolean> {
  const own = place.file.replace(/\.js$/, '.test.js')
  await writeFile(join(folder, place.file), mutated(place.program, place))
  try {
    if (existsSync(join(folder, own)) && (await runTests(folder, [own], limit)) !== 'passed') return true
    return (await runTests(folder, files, limit)) !== 'passed'
  } finally {
    await writeFile(join(folder, place.file), place.program)
  }
}

function describe({ file, program, start, before, after }: Place): string {
  const line = program.slice(0, start).split('\n').length
  return `${file}:${line}: ${before} → ${after}   in: ${program.split('\n')[line - 1].trim()}`
}

const options = { package: { type: 'string' }, minutes: { type: 'string' }, seed: { type: 'string' } } as const
const { values } = parseArgs({ options })
const [minutes, seed] = [Number(values.minutes ?? 5), Number(values.seed ?? 1)]
const chosen = values.package === undefined ? Object.keys(tests) : [values.package]
if (!(minutes > 0) || !Number.isInteger(seed) || chosen.some((name) => !(name in tests))) {
  print(`--package is one of ${Object.keys(tests).join(', ')}, --minutes is above 0, --seed is a whole number`)
  process.exit(2)
}
const folder = await copyOfRepository()
try {
  const scores = []
  for (const name of chosen) scores.push(await tryPackage(folder, name, minutes, seed))
  const [killed, tried] = [
    scores.reduce((sum, score) => sum + score.killed, 0),
    scores.reduce((sum, score) => sum + score.tried, 0)
  ]
  print(`score: ${Math.round((100 * killed) / tried)} % (${killed} of ${tried})`)
} finally {
  await rm(folder, { recursive: true })
}
