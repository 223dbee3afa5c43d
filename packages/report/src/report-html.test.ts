import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { InvariantError } from '@murmuration/core'
import test from 'ava'
import fc from 'fast-check'
import { escapeHtml, jsonForScript, markup } from './markup.js'
import { pageScript } from './page-script.js'
import { reportHtml } from './report-html.js'
import { smallResults } from './small-sweep.test.support.js'

const hostile = `</script><img src=x onerror="alert(1)"><!--'&\u2028`
const results = smallResults({
  axes: { latency: [1, 50] },
  methods: ['a', hostile],
  times: (method) => [method === 'a' ? 10 : 20]
})
const attacked = {
  ...results,
  sweep: {
    ...results.sweep,
    title: hostile,
    description: hostile,
    scenario: hostile,
    command: hostile,
    facts: { [hostile]: hostile }
  }
}

test('what is put into a template is escaped', (t) => {
  t.is(
    markup`<p title="${`"<&'`}">${['<b>', markup`<i>${1}</i>`]}</p>`.text,
    '<p title="&quot;&lt;&amp;&#39;">&lt;b&gt;<i>1</i></p>'
  )
  t.is(escapeHtml('plain'), 'plain')
})

test('JSON within a script element cannot end it, and is the same JSON', (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { text } = jsonForScript(value)
      t.notRegex(text, /[<>&\u2028\u2029]/)
      t.is(JSON.stringify(JSON.parse(text)), JSON.stringify(value))
    })
  )
})

test('hostile labels, titles and scenarios remain texts', async (t) => {
  const html = await reportHtml(attacked)
  t.false(html.includes('<img'))
  t.is(html.split('</script>').length - 1, 4, 'the data, two libraries and the page')
  t.is(html.split(escapeHtml(hostile)).length - 1 > 5, true)
})

test('the report refers to nothing outside itself', async (t) => {
  const html = await reportHtml(smallResults({ methods: ['a', 'b'], times: () => [10] }))
  const page = html.replace(/<script>[\s\S]*?<\/script>/g, '').replace(/<pre>[\s\S]*?<\/pre>/g, '')
  const tags = [...page.matchAll(/<[a-z][^>]*>/g)].map(([tag]) => tag)
  t.true(tags.length > 50)
  t.deepEqual(
    tags.filter((tag) => /\s(src|srcset|href|action|data)=|url\(/.test(tag)),
    ['<link rel="icon" href="data:,">']
  )
  t.notRegex(page, /https?:|url\(|@import/)
})

test('the same results give the same report', async (t) => {
  t.is(await reportHtml(results), await reportHtml(results))
})

test('licences of the chart library and of what it is built from are in the report', async (t) => {
  const html = await reportHtml(results)
  for (const notice of [
    'Mike Bostock',
    'Observable, Inc.',
    'Cynthia Brewer',
    'Robert Penner',
    'Mapbox',
    'Mikola Lysenko'
  ]) {
    t.true(html.includes(notice), notice)
  }
})

test('the facts of the sweep, its command and its scenario are in the report', async (t) => {
  const html = await reportHtml(results)
  for (const text of [
    'A small sweep',
    'Which is first?',
    'a quadratic',
    'npm run sim -- small.yaml',
    'name: small',
    'hash of 10',
    'about a'
  ]) {
    t.true(html.includes(text), text)
  }
  t.true(html.includes('All invariants held in all 4 runs.'))
})

test('of one method in one setting nothing is compared; of two methods, or in two settings, both are', async (t) => {
  const partsOf = async (...[sweep]: Parameters<typeof smallResults>) =>
    [...(await reportHtml(smallResults(sweep))).matchAll(/<div data-part="(\w+)"/g)].map(([, part]) => part)
  const times = () => [10]
  t.deepEqual(await partsOf({ methods: ['a'], times }), ['curves', 'figures', 'time'])
  t.deepEqual(await partsOf({ methods: ['a', 'b'], times }), ['map', 'corners', 'curves', 'figures', 'time'])
  const settings = await partsOf({ axes: { latency: [1, 5] }, methods: ['a'], times })
  t.deepEqual(settings, ['map', 'corners', 'setting', 'curves', 'figures', 'time'])
})

test('what the checks found is at its run', async (t) => {
  const [first, ...others] = results.runs
  const html = await reportHtml({ ...results, runs: [{ ...first, findings: ['the mean moved by <3>'] }, ...others] })
  t.true(html.includes('Invariants were violated in 1 of 4 runs'))
  t.true(html.includes('the mean moved by &lt;3&gt;'))
})

test('modules become one script: those that are needed first come first, without imports and exports', async (t) => {
  const script = await pageScript(new URL('./page/main.js', import.meta.url))
  t.notRegex(script, /^(import|export) /m)
  t.true(script.indexOf('class PageStore') < script.indexOf('new PageStore('))
  t.true(script.indexOf('function secondsText') < script.indexOf('const measures'))
})

const modules: readonly (readonly [what: string, other: string, main: string, message: RegExp])[] = [
  [
    'the same name twice',
    'const x = 1\nexport { x }',
    "import { x } from './other.js'\nconst x = 2",
    /declare x twice/
  ],
  [
    'a new name',
    'export const x = 1',
    "import { x as y } from './other.js'",
    /renames what it imports from \.\/other\.js/
  ]
]

for (const [what, other, main, message] of modules) {
  test(`modules that cannot become one script are refused: ${what}`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'murmuration-page-'))
    t.teardown(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'other.js'), other)
    await writeFile(join(folder, 'main.js'), main)
    await t.throwsAsync(pageScript(pathToFileURL(join(folder, 'main.js'))), { instanceOf: InvariantError, message })
  })
}

test('the page imports no package: there is none in a browser', (t) => {
  const script = readFileSync(new URL('./page/main.js', import.meta.url), 'utf8')
  t.deepEqual(
    [...script.matchAll(/from '([^']+)'/g)].filter(([, from]) => !from.startsWith('.')),
    []
  )
})

test('sixteen methods have sixteen colours, in the light and in the dark', async (t) => {
  const methods = Array.from({ length: 16 }, (_, place) => `method ${place}`)
  const html = await reportHtml(smallResults({ axes: { latency: [1, 50] }, methods, times: () => [10] }))
  const colours = [...html.matchAll(/--method-\d+:(#[0-9a-f]{6})/g)].map(([, colour]) => colour)
  t.is(colours.length, 2 * 16)
  for (const half of [colours.slice(0, 16), colours.slice(16)]) t.is(new Set(half).size, 16)
})
