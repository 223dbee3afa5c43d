/** The report in a real browser, opened from a disk. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { reportHtml } from '@murmuration/report'
import { mergeResults, type Results, type RunRecord } from '@murmuration/results'
import test, { type ExecutionContext } from 'ava'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { executablePath, skipped } from './browser.js'
import { madeUpResults } from './made-up-results.js'

// One after the other: each loads some megabytes and draws for a second or two.
const inBrowser = executablePath === undefined ? test.serial.skip : test.serial

let browser: Browser | undefined
let folder = ''

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-report-'))
  // Chromium's own sandbox does not start for root, as which tests run in containers; the page is the test's own.
  if (executablePath !== undefined) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
})

test.after.always(async () => {
  await browser?.close()
  await rm(folder, { recursive: true })
})

interface Opened {
  readonly page: Page
  /** The console output, and the page's attempts to load anything besides itself. */
  readonly complaints: string[]
}

let files = 0

async function opened(t: ExecutionContext, results: Results, options: BrowserContextOptions = {}): Promise<Opened> {
  if (browser === undefined) throw new Error('no browser')
  const file = join(folder, `${files++}.html`)
  await writeFile(file, await reportHtml(results))
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  t.teardown(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!/^data:/.test(request.url()) && request.url() !== pathToFileURL(file).href) complaints.push(request.url())
  })
  await page.goto(pathToFileURL(file).href)
  return { page, complaints }
}

const charts = (page: Page, part: string) => page.locator(`[data-part="${part}"] figure > svg`)
const select = (page: Page, part: string, title: string) =>
  page.locator(`[data-part="${part}"]`).getByLabel(title, { exact: true })

/** Whether anything is wider than the window, so that a reader would have to scroll sideways. */
const overflows = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)

inBrowser(
  `every chart is drawn, with a label and a caption, and nothing is loaded or complained about${skipped}`,
  async (t) => {
    const { page, complaints } = await opened(t, madeUpResults())
    for (const [part, count] of [
      ['map', 1],
      ['curves', 5],
      ['time', 1],
      ['timelines', 1]
    ] as const) {
      t.is(await charts(page, part).count(), count, part)
    }
    for (const figure of await page.locator('figure').all()) {
      t.true(((await figure.locator('figcaption').textContent()) ?? '').length > 20)
      t.true(((await figure.locator('> svg').getAttribute('aria-label')) ?? '').length > 10)
    }
    t.is(await page.locator('[data-part="map"] g[aria-label="cell"]').first().locator('rect').count(), 25)
    t.is(await page.locator('[data-part="timelines"] g[aria-label="dot"] path[fill="var(--wrong)"]').count(), 1)
    t.is(await page.locator('[data-part="figures"] tbody tr').count(), 5)
    t.false(await overflows(page))
    t.deepEqual(complaints, [])
  }
)

inBrowser(`a picker changes what it stands for: the setting, the measure, the kind of map${skipped}`, async (t) => {
  const { page, complaints } = await opened(t, madeUpResults())
  const line = () => page.locator('[data-part="curves"] g[aria-label="line"] path').first().getAttribute('d')
  const before = await line()
  await select(page, 'setting', 'bandwidth').selectOption('1 Mbit/s')
  t.not(await line(), before)
  t.regex((await page.locator('.chosen').textContent()) ?? '', /^Setting: bandwidth 1 Mbit\/s, latency /)
  t.regex((await page.locator('[data-part="figures"] caption').textContent()) ?? '', /at bandwidth 1 Mbit\/s/)

  await select(page, 'corners', 'compare by').selectOption('bytes to the target')
  t.regex((await page.locator('[data-part="corners"] caption').textContent()) ?? '', /^Bytes to the target/)
  t.is(await select(page, 'map', 'compare by').inputValue(), '1', 'both show the same')

  await select(page, 'map', 'show').selectOption('a factor between two')
  await select(page, 'map', 'factor of').selectOption('all-reduce, fused')
  await select(page, 'map', 'over').selectOption('parameter server, fused')
  const caption = (await page.locator('[data-part="map"] figcaption').textContent()) ?? ''
  t.regex(caption, /bytes to the target of “all-reduce, fused” divided by that of “parameter server, fused”/)
  // 12 against 14 models' worth of bytes per round, in the same number of rounds: 0.857.
  t.regex((await charts(page, 'map').textContent()) ?? '', /(0\.86x){20}/)
  t.deepEqual(complaints, [])
})

inBrowser(`a click on a cell of the map shows its setting in detail${skipped}`, async (t) => {
  const { page } = await opened(t, madeUpResults())
  // The corner with the best links: 10 Gbit/s, 0.1 ms.
  await page.locator('[data-part="map"] g[aria-label="cell"]').first().locator('rect').nth(4).hover({ force: true })
  t.regex((await charts(page, 'map').textContent()) ?? '', /bandwidth 10 Gbit\/s, latency 0\.1 ms/, 'the tip')
  await page.mouse.down()
  await page.mouse.up()
  t.regex((await page.locator('.chosen').textContent()) ?? '', /bandwidth 10 Gbit\/s, latency 0\.1 ms/)
  t.is(await select(page, 'setting', 'bandwidth').inputValue(), '4')
})

inBrowser(`light, dark and paper have colours of their own${skipped}`, async (t) => {
  const { page } = await opened(t, madeUpResults(), { colorScheme: 'dark' })
  const colours = () =>
    page.evaluate(() => {
      const letters = document.querySelector('[data-part="map"] text')
      return [getComputedStyle(document.body).backgroundColor, letters === null ? '' : getComputedStyle(letters).fill]
    })
  const pickers = () => page.locator('.pickers').first().isVisible()
  t.deepEqual(await colours(), ['rgb(21, 23, 28)', 'rgb(232, 234, 238)'])
  t.true(await pickers())
  await page.emulateMedia({ colorScheme: 'light' })
  t.deepEqual(await colours(), ['rgb(255, 255, 255)', 'rgb(27, 29, 34)'])
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  t.deepEqual(await colours(), ['rgb(255, 255, 255)', 'rgb(27, 29, 34)'])
  t.false(await pickers())
})

inBrowser(`it can be printed, and is as before afterwards${skipped}`, async (t) => {
  const { page, complaints } = await opened(t, madeUpResults())
  const width = async () => Number(await charts(page, 'map').getAttribute('width'))
  const before = await width()
  const pdf = await page.pdf({ format: 'A4' })
  t.is(pdf.subarray(0, 5).toString(), '%PDF-')
  t.true(pdf.length > 20_000)
  t.is(await width(), before)
  t.deepEqual(complaints, [])
})

inBrowser(`a chart is saved as a file that needs no style sheet${skipped}`, async (t) => {
  const { page, complaints } = await opened(t, madeUpResults({ bandwidths: [1e8], latencies: [5] }))
  for (const part of ['map', 'curves']) {
    const saving = page.waitForEvent('download')
    await page.locator(`[data-part="${part}"] .save`).first().click()
    const download = await saving
    t.regex(download.suggestedFilename(), /^[\p{L}\p{N}-]+\.svg$/u)
    const text = await readFile(await download.path(), 'utf8')
    t.regex(text, /^<svg[^>]* xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    t.false(text.includes('var(--method'), part)
    t.true(text.includes('time') && text.includes('fill: rgb('))
  }
  t.deepEqual(complaints, [])
})

inBrowser(`bars have whiskers, and figures a mean and a deviation, where seeds differ${skipped}`, async (t) => {
  const one = { bandwidths: [1e8], latencies: [5], target: false }
  const alone = await opened(t, madeUpResults({ ...one, seeds: [7] }))
  const small = (page: Page) => page.locator('[data-part="figures"] td small').allTextContents()
  t.is(await charts(alone.page, 'map').locator('g[aria-label="tick"] line').count(), 0)
  t.false((await small(alone.page)).some((text) => text.includes('±')))
  const { runs, ...results } = madeUpResults({ ...one, seeds: [1, 2, 3] })
  const spread = runs.map((run) => ({ ...run, secondsPerRound: run.secondsPerRound * run.seed }))
  const { page, complaints } = await opened(t, { ...results, runs: spread })
  const { length } = results.sweep.methods
  t.is(await charts(page, 'map').locator('g[aria-label="tick"] line').count(), 2 * length)
  t.is((await small(page)).filter((text) => text.includes('±')).length >= length, true)
  t.deepEqual(complaints, [])
})

inBrowser(`the map comes first, and no caption is cut on a phone${skipped}`, async (t) => {
  const { page } = await opened(t, madeUpResults(), { viewport: { width: 390, height: 844 } })
  await charts(page, 'map').waitFor()
  t.is(await page.locator('main section').first().getAttribute('id'), 'map')
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll('caption, figcaption')].filter(
      (caption) => caption.getBoundingClientRect().right > document.documentElement.clientWidth
    )
  )
  t.is(cut.length, 0)
})

inBrowser(`it fits a window of 800 pixels${skipped}`, async (t) => {
  const { page } = await opened(t, madeUpResults(), { viewport: { width: 800, height: 900 } })
  t.false(await overflows(page))
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.setViewportSize({ width: 760, height: 900 })
  t.false(await overflows(page), 'also when the window was wider before')
})

const sweeps: readonly (readonly [what: string, results: Results, expected: RegExp])[] = [
  [
    'three axes, one of names',
    madeUpResults({ bandwidths: [1e6, 1e9], latencies: [1, 50], stragglers: ['none', 'one slow peer'] }),
    /Shown at stragglers (none|one slow peer)\./
  ],
  [
    'one axis, one seed, no target',
    madeUpResults({ bandwidths: [1e6, 1e9], latencies: [5], seeds: [7], target: false }),
    /less is better/
  ],
  ['a single setting', madeUpResults({ bandwidths: [1e8], latencies: [5] }), /less is better/],
  [
    'an axis without a limit',
    madeUpResults({ bandwidths: [1e8, Infinity], latencies: [0, 5] }),
    /Each cell is a setting/
  ]
]

for (const [what, results, expected] of sweeps) {
  inBrowser(`smaller and larger sweeps are drawn without complaints: ${what}${skipped}`, async (t) => {
    const { page, complaints } = await opened(t, results)
    t.regex((await page.locator('[data-part="map"] figcaption').textContent()) ?? '', expected)
    t.true((await charts(page, 'curves').count()) >= 4)
    t.deepEqual(complaints, [])
  })
}

/** A real run, as far as its peers know it, next to the simulation of its method. */
function realOverSimulated(): Results {
  const one = madeUpResults({ bandwidths: [1e8], latencies: [5], seeds: [7], target: false })
  const [method] = one.sweep.methods
  const models = { a: '1'.repeat(64), b: '2'.repeat(64) }
  const sweep = { ...one.sweep, axes: {}, methods: [method] }
  const [run] = one.runs
  const simulated: RunRecord = { ...run, settings: {}, outcome: 'limit', models }
  const { busiest: _, logHash: __, realSeconds: ___, toTarget: ____, ...rest } = simulated
  const real: RunRecord = {
    ...rest,
    world: 'libp2p',
    secondsPerRound: 2 * run.secondsPerRound,
    time: { working: 0.5 }
  }
  return mergeResults(
    [
      { name: 'tuesday', results: { sweep, runs: [real], timelines: [] } },
      { name: 'predicted', results: { sweep, runs: [simulated], timelines: [] } }
    ],
    { command: 'npx murmur report tuesday predicted', version: '0' }
  )
}

/** Whether labels of an axis overlap. */
const hasCrowdedMarks = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll('g[aria-label="x-axis tick label"]')).some((axis) => {
      const texts = Array.from(axis.querySelectorAll('text')).map((text) => text.getBoundingClientRect())
      const inOrder = texts.sort((left, right) => left.left - right.left)
      return inOrder.some(({ left }, place) => place > 0 && left < inOrder[place - 1].right)
    })
  )

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1280, 390]) {
    inBrowser(
      `a real run over its simulation is drawn, and what it cannot know is said: ${colorScheme}, ${width} pixels${skipped}`,
      async (t) => {
        const { page, complaints } = await opened(t, realOverSimulated(), {
          colorScheme,
          viewport: { width, height: 900 }
        })
        t.is(await charts(page, 'curves').first().locator('g[aria-label="line"]').count(), 2)
        const finding = (await page.locator('#finding').textContent()) ?? ''
        t.regex(finding, /tuesday, real”: a real round takes .*, 2\.0x as long/)
        t.regex(finding, /ended with the same parameters, bit for bit, on 2 peers/)
        t.notRegex(finding, /fastest/)
        t.regex(
          (await page.locator('[data-part="time"]').textContent()) ?? '',
          /a real run does not distinguish sending/
        )
        t.regex((await page.locator('[data-part="figures"]').textContent()) ?? '', /–/)
        t.false(await overflows(page))
        t.false(await hasCrowdedMarks(page))
        t.deepEqual(complaints, [])
      }
    )
  }
}

inBrowser(
  `epochs are lines across the charts over time and over rounds, with labels where there is room${skipped}`,
  async (t) => {
    const { sweep, runs } = madeUpResults({ bandwidths: [1e8], latencies: [5], seeds: [7] })
    const [run] = runs
    const epochs = [0.2, 0.6, 0.61, 2].map((fraction, place) => {
      const begin = { round: fraction * run.rounds, seconds: fraction * run.seconds }
      return { epoch: place + 1, ...begin, members: ['p0'], lost: ['p1'], joined: [] }
    })
    const methods = sweep.methods.filter(({ label }) => label === run.method)
    const results = { sweep: { ...sweep, methods }, runs: [{ ...run, epochs }], timelines: [] }
    const { page, complaints } = await opened(t, results)
    const drawn: Record<string, number> = {}
    for (const figure of await page.locator('[data-part="curves"] figure').all()) {
      const lines = await figure.locator('g.epoch line').count()
      const labels = (await figure.locator('svg text').allTextContents()).filter((text) => text.startsWith('epoch'))
      t.deepEqual(labels, lines === 0 ? [] : ['epoch 1', 'epoch 2'])
      drawn[(await figure.locator('h4').textContent()) ?? ''] = lines
    }
    t.deepEqual(drawn, {
      'Loss against time': 3,
      'Loss against bytes': 0,
      'Loss against samples': 0,
      'Consensus distance': 3,
      'Accuracy against time': 3
    })
    t.regex((await page.locator('[data-part="curves"] > .caption').textContent()) ?? '', /vertical line is an epoch/)
    t.deepEqual(complaints, [])
  }
)

inBrowser(`a sweep without runs is said to be one${skipped}`, async (t) => {
  const { page, complaints } = await opened(t, { ...madeUpResults(), runs: [], timelines: [] })
  t.true(await page.getByText('There are no runs.').isVisible())
  t.is(await page.locator('figure').count(), 0)
  t.deepEqual(complaints, [])
})

inBrowser(
  `losses that are no numbers, runs that failed and lists that are empty are drawn without complaints${skipped}`,
  async (t) => {
    const results = madeUpResults({ bandwidths: [1e6, 1e9], latencies: [1, 50] })
    const runs = results.runs.map((run, k) => {
      if (k % 5 === 0)
        return { ...run, outcome: 'failed' as const, reason: 'a loss is no number', toTarget: undefined, curve: [] }
      if (k % 5 === 2) return { ...run, curve: run.curve.map((point, at) => ({ ...point, loss: 2 * 1e9 ** at })) }
      return k % 5 === 1
        ? { ...run, curve: run.curve.map((point, at) => (at > 3 ? { ...point, loss: NaN } : point)) }
        : run
    })
    const { page, complaints } = await opened(t, { ...results, runs: runs.slice(4), timelines: [] })
    t.is(await charts(page, 'timelines').count(), 0)
    t.regex((await page.locator('[data-part="figures"]').textContent()) ?? '', /a loss is no number/)
    t.deepEqual(complaints, [])
  }
)

inBrowser(`hostile labels do no harm${skipped}`, async (t) => {
  const hostile = '</script><img src=x onerror=alert(1)><svg/onload=alert(2)>'
  const rename = (label: string) => (label === 'D-PSGD on a ring' ? hostile : label)
  const results = madeUpResults({ bandwidths: [1e6, 1e9], latencies: [1, 50] })
  const { sweep } = results
  const { page, complaints } = await opened(t, {
    sweep: {
      ...sweep,
      title: hostile,
      scenario: hostile,
      facts: { [hostile]: hostile },
      methods: sweep.methods.map(({ label }) => ({ label: rename(label), description: hostile }))
    },
    runs: results.runs.map((run) => ({ ...run, method: rename(run.method), findings: [hostile] })),
    timelines: results.timelines.map((timeline) => ({ ...timeline, method: rename(timeline.method) }))
  })
  t.is(await page.locator('h1').textContent(), hostile)
  t.is(await page.locator('img').count(), 0)
  t.true((await page.getByText(hostile).count()) > 5)
  t.deepEqual(complaints, [])
})
