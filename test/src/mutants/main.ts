/**
 * `npm run mutants -- [--package NAME] [--minutes M] [--seed S]`: puts small mistakes into the build, one at a time,
 * and counts how many of them the tests notice. Mutants are drawn at random from the seed, as many as time permits. A
 * mutant is tried with the test files that reach its place; each test file first runs once with V8's coverage.
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createRandom } from '@murmuration/random'
import { filesUnder } from '../repository.js'
import { copyOfRepository } from './copy.js'
import { type Coverage, coverageOf, isReached } from './coverage.js'
import { type Mutant, mutantsOf, mutated } from './mutations.js'
import { runTest } from './run.js'

/** The tests of each package: its own, and those in test/ that concern it. */
const tests: Readonly<Record<string, readonly string[]>> = {
  algorithms: [
    ...['oracles', 'shelf-oracles', 'compressed-oracles', 'quantised-oracles', 'loss-oracles', 'offer-oracles'],
    ...['pair-oracles', 'central-methods', 'collectives', 'parameter-servers', 'stale-synchronous', 'overlap'],
    ...['hop', 'quorum', 'divshare', 'running-sums', 'cocktail-sgd']
  ],
  engine: [
    ...['oracles', 'loss-oracles', 'offer-oracles', 'pair-oracles', 'edges', 'members', 'member-algorithms'],
    ...['running-sums', 'wrong-code', 'transcripts/transcripts']
  ],
  rows: ['key-histories', 'keyed-algorithms'],
  topology: ['topologies'],
  simulator: ['fabrics', 'simulated-memory', 'processes/transfers', 'collectives'],
  vectors: ['codecs']
}

const print = (line: string) => process.stdout.write(`${line}\n`)

interface PlacedMutant extends Mutant {
  readonly file: string
  readonly program: string
}

/** All mutants of a package, in an order drawn from the seed. */
async function placesOf(folder: string, name: string, seed: number): Promise<readonly PlacedMutant[]> {
  const built = filesUnder(`packages/${name}/dist`)
    .filter((file) => /(?<!\.(test|support))\.js$/.test(file))
    // Those of others, which the build bundles.
    .filter((file) => !file.includes('/dist/libraries/'))
  const places: PlacedMutant[] = []
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

/** A test file: its duration without a mutant, in milliseconds, and what it reaches. */
interface TestFile {
  readonly file: string
  readonly time: number
  readonly coverage: Coverage
}

/** Runs each test file of a package once. Returns them, the fastest first. */
async function testFilesOf(folder: string, name: string): Promise<readonly TestFile[]> {
  const own = filesUnder(`packages/${name}/dist`).filter((file) => file.endsWith('.test.js'))
  const found: TestFile[] = []
  for (const file of [...own, ...tests[name].map((test) => `test/dist/${test}.test.js`)]) {
    const begin = performance.now()
    const coverage = await coverageOf(join(folder, 'packages', name), async (environment) => {
      if ((await runTest(folder, file, { environment })) !== 'passed') throw new Error(`${file} fails without a mutant`)
    })
    found.push({ file, time: performance.now() - begin, coverage })
  }
  return found.sort((left, right) => left.time - right.time)
}

/** Tries mutants of a package until the time is over. Returns how many were killed, and how many were tried. */
async function tryPackage(folder: string, name: string, minutes: number, seed: number) {
  const places = await placesOf(folder, name, seed)
  const files = await testFilesOf(folder, name)
  const start = performance.now()
  let killed = 0
  let tried = 0
  let unreached = 0
  for (const place of places) {
    if (performance.now() - start > minutes * 60_000) break
    tried++
    const reaching = files.filter(({ coverage }) => isReached(coverage, join(folder, place.file), place.at))
    if (reaching.length === 0) unreached++
    if (await isNoticed(folder, place, reaching)) killed++
    else print(`${reaching.length === 0 ? 'not reached' : 'survived'}: ${describe(place)}`)
  }
  const rest = `drawn from ${places.length} with seed ${seed}; ${unreached} not reached by any test`
  print(`${name}: ${killed} of ${tried} killed, ${rest}`)
  return { killed, tried }
}

/**
 * Whether one of the test files fails or hangs with the mutant: first that of the mutated file, which is the most
 * likely to.
 */
async function isNoticed(folder: string, place: PlacedMutant, files: readonly TestFile[]): Promise<boolean> {
  const own = place.file.replace(/\.js$/, '.test.js')
  await writeFile(join(folder, place.file), mutated(place.program, place))
  try {
    for (const { file, time } of [...files].sort((a, b) => Number(b.file === own) - Number(a.file === own))) {
      if ((await runTest(folder, file, { limit: 10_000 + 5 * time })) !== 'passed') return true
    }
    return false
  } finally {
    await writeFile(join(folder, place.file), place.program)
  }
}

function describe({ file, program, start, before, after }: PlacedMutant): string {
  const line = program.slice(0, start).split('\n').length
  return `${file}:${line}: ${before} → ${after}   in: ${program.split('\n')[line - 1].trim()}`
}

const options = { package: { type: 'string' }, minutes: { type: 'string' }, seed: { type: 'string' } } as const
const { values } = parseArgs({ options })
const minutes = Number(values.minutes ?? 5)
const seed = Number(values.seed ?? 1)
const chosen = values.package === undefined ? Object.keys(tests) : [values.package]
if (!(minutes > 0) || !Number.isInteger(seed) || chosen.some((name) => !(name in tests))) {
  print(`--package is one of ${Object.keys(tests).join(', ')}, --minutes is above 0, --seed is a whole number`)
  process.exit(2)
}
const folder = await copyOfRepository()
try {
  const scores = []
  for (const name of chosen) scores.push(await tryPackage(folder, name, minutes, seed))
  const killed = scores.reduce((sum, score) => sum + score.killed, 0)
  const tried = scores.reduce((sum, score) => sum + score.tried, 0)
  print(`score: ${Math.round((100 * killed) / tried)} % (${killed} of ${tried})`)
} finally {
  await rm(folder, { recursive: true })
}
