/** Tests of the repository itself. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'ava'
import { filesUnder, repositoryFiles, root, textOf } from './repository.js'

const files = repositoryFiles().filter((file) => existsSync(root + file))
const sources = files.filter((file) => /^(packages\/[^/]+|test|studies|examples\/[^/]+)\/.*\.(ts|js|mjs)$/.test(file))

/** Packages that may not use real time, chance or the machine; and what to use instead. */
const pure = [
  'core',
  'random',
  'vectors',
  'wire',
  'topology',
  'membership',
  'engine',
  'rows',
  'algorithms',
  'simulator'
]
const banned: readonly (readonly [RegExp, string])[] = [
  [/\bDate\b/, 'fabric.now()'],
  [/\bMath\.random\b/, 'fabric.random'],
  [/\b(setTimeout|setInterval|setImmediate|queueMicrotask)\b/, 'fabric.sleep()'],
  [/\bperformance\b/, 'fabric.now()'],
  [/\bprocess\./, 'an option that the command line sets']
]

const isTest = (file: string) => /\.test\.(support\.)?ts$/.test(file) || file.startsWith('test/')

test('the libraries of libp2p and topology are imported where the build bundles them', (t) => {
  const elsewhere = sources.filter(
    (file) =>
      /^packages\/(libp2p|topology)\/src\/(?!libraries\/)/.test(file) && !isTest(file) && !file.endsWith('.browser.ts')
  )
  const values = /^(?!import type)(?:import|export)\b[^'"]*?\bfrom '((?![.#]|node:|@murmuration\/)[^']+)'/gm
  const imported = elsewhere.flatMap((file) => [...textOf(file).matchAll(values)].map(([, name]) => `${file}: ${name}`))
  t.deepEqual(
    imported.filter((line) => !line.endsWith(': zod')),
    []
  )
})

test('the pure packages name no real time, no chance and no machine', (t) => {
  const wrong = sources
    .filter((file) => pure.includes(file.split('/')[1]) && !isTest(file) && !file.includes('/bench/'))
    .flatMap((file) =>
      codeOf(file).flatMap((line, number) =>
        banned.filter(([pattern]) => pattern.test(line)).map(([, instead]) => `${file}:${number + 1}: use ${instead}`)
      )
    )
  t.deepEqual(wrong, [])
})

test('the pure packages import nothing of Node', (t) => {
  const wrong = sources.filter(
    (file) =>
      pure.includes(file.split('/')[1]) &&
      !isTest(file) &&
      !file.includes('/bench/') &&
      /(from|import\(?) *'node:/.test(textOf(file))
  )
  t.deepEqual(wrong, [])
})

/** Files whose numbers are only shown to a person, or stay on one machine. */
const shown = [
  'packages/cli/src/advise-verdict.ts',
  'packages/cli/src/topology-report.ts',
  'packages/report/src/page/curve-chart.ts',
  'packages/report/src/page/map-cells.ts',
  'packages/report/src/page/map-faces.ts',
  'packages/report/src/shared/units.ts',
  'packages/watch/src/page/format.ts'
]

/** What engines compute with other bits, or may: the language leaves it to them. Squares, 2ⁿ and bigints are equal. */
const ofEngine: readonly RegExp[] = [
  /\bMath\.(a?(sin|cos|tan)h?|atan2|exp|expm1|log|log1p|log2|log10|pow|cbrt|hypot|f16round)\b/,
  /(?<!\brandom\b.*)\bMath\b(?!\.\w)/,
  /\*\*(?!=? ?(2|\d+n)(?![\w.]))(?<!(?<![\w.])2 \*\*)/,
  /(?<![\w.])2 \*\* (\([^()]*(\([^()]*\)[^()]*)*\/|[\w.]* *\/ *[\w.]+ *\*\*|-?\d*\.\d)/
]

test('numbers that peers share come from no function that engines differ in', (t) => {
  const found = sources
    .filter((file) => /^packages\/[^/]+\/src\//.test(file) && !isTest(file))
    .flatMap((file) =>
      codeOf(file).flatMap((line, number) =>
        ofEngine.some((pattern) => pattern.test(line)) ? [`${file}:${number + 1}: ${line.trim()}`] : []
      )
    )
  t.deepEqual(
    found.filter((line) => !shown.includes(line.split(':')[0])),
    [],
    'take it from @murmuration/core (math/), whose bits are the same in every engine'
  )
  t.deepEqual(
    shown.filter((file) => !found.some((line) => line.startsWith(`${file}:`))),
    [],
    'a file that is listed has such a function'
  )
})

test('all packages have the version that lerna.json fixes, and depend on it', (t) => {
  const { version } = JSON.parse(textOf('lerna.json')) as { version: string }
  for (const file of files.filter((name) => /^(packages\/[^/]+|test)\/package\.json$/.test(name))) {
    const manifest = JSON.parse(textOf(file)) as { version: string; dependencies?: Record<string, string> }
    t.is(manifest.version, version, file)
    for (const [name, range] of Object.entries(manifest.dependencies ?? {})) {
      if (name.startsWith('@murmuration/')) t.is(range, version, `${file}: ${name}`)
    }
  }
})

test('everything that is built has a source', (t) => {
  const built = ['packages', 'test']
    .flatMap((folder) => filesUnder(folder))
    .filter(
      (file) =>
        !file.includes('/node_modules/') &&
        /\/dist\/(?!readmes\/|gathered\/|page\/[0-9a-f]{16}\/|libraries\/shared(-\w+)?\.js).*\.js$/.test(file)
    )
  const orphans = built.filter((file) => !existsSync(root + file.replace('/dist/', '/src/').replace(/\.js$/, '.ts')))
  t.deepEqual(orphans, [], 'npm run clean removes them')
})

test('links within the documents lead somewhere', (t) => {
  const broken = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...textOf(file).matchAll(/\]\(([^)#\s]+)(#[^)]*)?\)/g)]
        .map((match) => match[1])
        .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(root, dirname(file), link)))
        .map((link) => `${file}: ${link}`)
    )
  t.deepEqual(broken, [])
})

test('every source file that a document or a comment names is there', (t) => {
  const gone = files
    .filter((file) => /\.(md|yaml|ts|mjs)$/.test(file) && file !== 'CHANGELOG.md')
    .flatMap((file) =>
      [...textOf(file).matchAll(/\b(?:packages|examples)\/[\w./-]+\.(?:ts|mjs)\b/g)]
        .filter(([path]) => !existsSync(root + path))
        .map(([path]) => `${file}: ${path}`)
    )
  t.deepEqual(gone, [])
})

test('the samples say where their schema is, for editors', (t) => {
  const samples = files.filter((file) => /^(topologies|sim|examples)\/.*\.yaml$/.test(file))
  t.true(samples.length > 10)
  for (const file of samples) {
    const [, schema = 'none'] = /^# yaml-language-server: \$schema=(.+)\n/.exec(textOf(file)) ?? []
    t.true(existsSync(join(root, dirname(file), schema)), `${file}: ${schema}`)
  }
})

test('every npm script that the documents and scenario files name is there', (t) => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
  const named = files
    .filter((file) => /\.(md|yaml)$/.test(file))
    .flatMap((file) => [...textOf(file).matchAll(/npm run ([a-z]+)/g)].map((match) => ({ file, script: match[1] })))
  t.true(named.length > 10)
  t.deepEqual(
    named.filter(({ script }) => !(script in scripts)),
    []
  )
})

/** Words that the project no longer uses, and their replacements: one word for one thing, and the field's own. */
const formerWords: readonly (readonly [RegExp, string])[] = [
  [/\bdice\b/i, 'random numbers'],
  [/\b(Peer)?roster\b/i, 'peer list'],
  [/\bBell\b/, 'Signal'],
  [/\bNeighbourhood\b/, 'PeerSet'],
  [/\bopenFamily\b/, 'a family of its own kind of task'],
  // Older scenario files are refused with the new name, and a document says so.
  [/contender/i, 'method'],
  [/\bfor ever\b/, 'forever'],
  [/\b(hang|hangs|hung) on\b/, 'depends on'],
  [/#?\bjudge\(/, 'applyRules, evaluate, or the name of the check'],
  [/Dice\b/, 'random'],
  [/stranger/i, 'unknown peer'],
  [/\bParcel\b/, 'outbound vector'],
  [/\bclosing rounds?\b/i, 'final averaging rounds'],
  [/\bin vain\b/, 'timed out'],
  [/\b(flock|crowd)\b(?! turns as one)/i, 'cluster'],
  [/\b(?!(max|arg)M)[a-z]\w*(Most|Least|Max)\b/, 'a name that begins with max or min']
]

test('words that were given up do not come back', (t) => {
  const spoken = files.filter(
    (file) => /^(packages|test|examples|docs|bench|README)/.test(file) && /\.(ts|mjs|md|yaml)$/.test(file)
  )
  const found = spoken
    .filter(
      (file) =>
        !/tidy\.test\.ts$|scenario\/older|scenario\/schema\.ts$|training-schema\.ts$|sim\/scenario\.ts$|schemas\//.test(
          file
        )
    )
    .flatMap((file) =>
      textOf(file)
        .split('\n')
        .flatMap((line, number) =>
          formerWords
            .filter(([word]) => word.test(line))
            .map(([word, instead]) => `${file}:${number + 1}: ${String(word)} is now ${instead}`)
        )
    )
  t.deepEqual(found, [])
})

/** Columns of code and of comments. */
const maxColumns = 120

test('no comment line is wider than 120 columns', (t) => {
  const wide = (comment: RegExp) => (file: string) =>
    textOf(file)
      .split('\n')
      .flatMap((line, index) => ([...line].length > maxColumns && comment.test(line) ? [`${file}:${index + 1}`] : []))
  t.deepEqual(
    [
      ...files.filter((file) => /\.(ts|js|mjs)$/.test(file)).flatMap(wide(/^\s*(\/\/|\/\*|\*)/)),
      ...files.filter((file) => /\.(sh|ya?ml)$/.test(file)).flatMap(wide(/^\s*#/))
    ],
    []
  )
})

test('no leftovers: nothing is marked as unfinished, skipped or alone', (t) => {
  const marks = new RegExp(
    ['TODO', 'FIXME', 'XXX', `test\\.${'only'}`, `test\\.${'todo'}`, `test\\.${'failing'}`].join('|')
  )
  t.deepEqual(
    sources.filter((file) => !file.endsWith('tidy.test.ts') && marks.test(textOf(file))),
    []
  )
})

/** The lines without comments and texts, approximately: enough to find a name in code. */
function codeOf(file: string): string[] {
  return textOf(file)
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .split('\n')
    .map((line) => line.replace(/\/\/.*$/, '').replace(/'[^']*'|`[^`]*`/g, "''"))
}
