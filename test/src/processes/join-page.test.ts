/** The page with which a browser joins a run, in a real browser, over runs that the tests control. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunCard } from '@murmuration/browser'
import { JoinServer } from '@murmuration/watch'
import test, { type ExecutionContext } from 'ava'
import { build } from 'esbuild'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { root } from '../repository.js'
import { executablePath, skipped } from './browser.js'
import type { FakeRun } from './fake-run.js'

const inBrowser = executablePath === undefined ? test.serial.skip : test.serial

declare global {
  /** In the page. */
  var fake: FakeRun
}

let browser: Browser | undefined
let folder = ''
let server: JoinServer | undefined

/** The page over a run that a test controls: what the test has put into the tab's storage says how it begins. */
const script = `
import { startPage } from './packages/browser/src/page/page.ts'
import { FakeRun } from './test/dist/processes/fake-run.js'
void startPage(async (link) => {
  const { refusal, waits, ...changes } = JSON.parse(sessionStorage.getItem('fake') ?? '{}')
  if (refusal !== undefined) throw new Error(refusal)
  if (waits) await new Promise(() => {})
  return (globalThis.fake = Object.assign(new FakeRun(changes), { link }))
})`

test.before(async () => {
  if (executablePath === undefined) return
  folder = await mkdtemp(join(tmpdir(), 'murmuration-page-'))
  const built = join(root, 'packages/browser/dist/page')
  await cp(built, folder, { recursive: true, filter: (path) => !/\.(js|wasm)$/.test(path) })
  const [, place] = /src="(\w+)\/main\.js"/.exec(await readFile(join(built, 'index.html'), 'utf8')) ?? []
  await writeFile(join(folder, place, 'files.json'), '["style.css"]')
  await build({
    stdin: { contents: script, resolveDir: root, loader: 'ts' },
    outfile: join(folder, place, 'main.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'error'
  })
  server = await JoinServer.start({ folder, host: '127.0.0.1', port: 0, names: [] })
  // Chromium's own sandbox does not start for root, as which tests run in containers; the page is the test's own.
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
})

test.after.always(async () => {
  await browser?.close()
  server?.close()
  if (folder !== '') await rm(folder, { recursive: true })
})

interface Setup extends Partial<RunCard> {
  readonly refusal?: string
  readonly waits?: boolean
}

/** A tab that was opened with a link, and what its console says. */
async function opened(t: ExecutionContext, setup: Setup = {}, options: BrowserContextOptions = {}, link = true) {
  if (browser === undefined || server === undefined) throw new Error('no browser')
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 }, ...options })
  t.teardown(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('request', (request) => {
    if (request.url().includes('murmur1')) complaints.push(`the invitation is in ${request.url()}`)
  })
  await page.addInitScript((text) => sessionStorage.setItem('fake', text), JSON.stringify(setup))
  const [url] = server.urls
  await page.goto(link ? `${url}#join=murmur1.secret` : url)
  return { page, complaints }
}

const chip = (page: Page) => page.locator('#state').textContent()
/** A PNG file, as far as the page looks. */
const png = (name: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47]) })

const images: Setup = { samples: { kind: 'images', classes: ['cat', 'dog'] } }

inBrowser(`without a link the page says what to ask for, and takes a pasted one${skipped}`, async (t) => {
  const { page, complaints } = await opened(t, {}, {}, false)
  await page.getByRole('heading', { name: 'You need a link' }).waitFor()
  await page.getByLabel('paste the link').fill('hello')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('no link to a run').waitFor()
  await page.getByLabel('paste the link').fill(' murmur1.pasted ')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'You are invited as “carol”' }).waitFor()
  t.regex(await page.evaluate(() => (globalThis.fake as unknown as { link: string }).link), /#join=murmur1\.pasted$/)
  t.deepEqual(complaints, [])
})

inBrowser(`the invitation leaves the address bar, and a reload knows it still${skipped}`, async (t) => {
  const { page, complaints } = await opened(t)
  await page.locator('#card:visible').waitFor()
  t.notRegex(page.url(), /murmur|#/)
  t.notRegex(await page.content(), /murmur1/)
  t.is(await page.evaluate(() => history.length), 2)
  await page.reload()
  await page.locator('#card:visible').waitFor()
  t.regex(await page.evaluate(() => (globalThis.fake as unknown as { link: string }).link), /#join=murmur1\.secret$/)
  t.deepEqual(complaints, [])
})

inBrowser(`a page of the internet explains what the browser will ask, before it connects${skipped}`, async (t) => {
  if (browser === undefined) throw new Error('no browser')
  const context = await browser.newContext()
  t.teardown(() => context.close())
  const page = await context.newPage()
  await page.route('https://page.example/**', (route) => {
    const { pathname } = new URL(route.request().url())
    return route.fulfill({ path: join(folder, pathname === '/' ? 'index.html' : pathname) })
  })
  await page.goto('https://page.example/#join=murmur1.secret')
  await page.getByRole('heading', { name: 'Your browser will ask you something' }).waitFor()
  t.is(await chip(page), 'not connected')
  t.true(await page.evaluate(() => globalThis.fake === undefined))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { name: 'You are invited as “carol”' }).waitFor()
})

inBrowser(`a link that opens no run is refused in a sentence, as is what is hostile in it${skipped}`, async (t) => {
  const refusal = 'the run is over: <img src=x onerror=alert(1)>'
  const { page, complaints } = await opened(t, { refusal })
  await page.getByRole('heading', { name: 'This link does not open a run' }).waitFor()
  t.is(await page.locator('#reason').textContent(), refusal)
  t.true(await page.getByRole('button', { name: 'Try again' }).isVisible())
  t.deepEqual(complaints, [])
})

inBrowser(
  `the card says what is learned, by whom, and what leaves the device, before it is joined${skipped}`,
  async (t) => {
    const { page, complaints } = await opened(t)
    await page.locator('#card:visible').waitFor()
    const text = (await page.locator('#card').textContent()) ?? ''
    for (const part of ['digits', '101,770 numbers', 'alice, bob, carol', '400 rounds', '30 November 2026', 'reveal'])
      t.true(text.includes(part), part)
    t.deepEqual(await page.locator('#device li').allTextContents(), [
      'Key of this tab: kept by the browser (WebCrypto); no page can read it',
      'Computes with: WebAssembly',
      'Shared memory: yes'
    ])
    t.is(await page.evaluate(() => document.activeElement?.textContent), 'You are invited as “carol”')
    t.is(await page.evaluate(() => globalThis.fake.samples), undefined)
    t.deepEqual(complaints, [])
  }
)

inBrowser(`given images are counted by class, and what does not fit is named before joining${skipped}`, async (t) => {
  const { page, complaints } = await opened(t, images)
  await page.locator('#card:visible').waitFor()
  t.true(await page.getByRole('button', { name: 'Join' }).isDisabled())
  await page.locator('#files').setInputFiles([png('loose.png')])
  await page.getByText('Nothing that fits was found').waitFor()
  t.true(await page.getByRole('button', { name: 'Join' }).isDisabled())
  await page.getByRole('button', { name: 'Give other data' }).click()
  await page.getByLabel('images without a folder').fill('dog')
  await page.locator('#files').setInputFiles([png('loose.png')])
  await page.getByText('Found 1 image of 1 class: dog (1).').waitFor()
  await page.evaluate(() => {
    const png = new Uint8Array([0x89, 0x50])
    const inFolder = (path: string, bytes = png) =>
      Object.defineProperty(new File([bytes], path.split('/').pop() ?? ''), 'webkitRelativePath', { value: path })
    const input = document.querySelector<HTMLInputElement>('#folder')
    const files = ['pets/cat/1.png', 'pets/cat/2.png', 'pets/train/dog/1.png', 'pets/bird/1.png', 'pets/.hidden']
    const all = [...files.map((path) => inFolder(path)), inFolder('pets/dog/broken.png', new Uint8Array([1]))]
    Object.defineProperty(input, 'files', { value: all })
    input?.dispatchEvent(new Event('change'))
  })
  await page.getByText('Found 4 images of 2 classes: cat (2), dog (2).').waitFor()
  t.deepEqual(await page.locator('#inspection li').allTextContents(), [
    'Left out: pets/dog/broken.png (no image, or damaged).',
    'The run has no class bird; its classes are cat, dog.'
  ])
  await page.getByRole('button', { name: 'Join' }).click()
  await page.waitForFunction(() => globalThis.fake.samples !== undefined)
  t.deepEqual(await page.evaluate(() => (globalThis.fake.samples as { path: string }[]).map(({ path }) => path)), [
    'dog/loose.png',
    'cat/pets-1.png',
    'cat/pets-2.png',
    'dog/pets-train-1.png'
  ])
  t.deepEqual(complaints, [])
})

inBrowser(`a table’s rows are counted, and a missing column is named${skipped}`, async (t) => {
  const { page, complaints } = await opened(t, { samples: { kind: 'table', columns: ['age', 'income'] } })
  await page.locator('#card:visible').waitFor()
  const csv = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  await page.locator('#files').setInputFiles([csv('a.csv', 'age,city\n1,2\n'), png('b.png')])
  await page.getByText('Nothing that fits').waitFor()
  t.deepEqual(await page.locator('#inspection li').allTextContents(), [
    'Left out: b.png (no CSV file).',
    'a.csv has no column income in its first line.'
  ])
  await page.locator('#files').setInputFiles([csv('c.csv', '"age",income\r\n1,"two\nlines"\r\n\r\n3,4')])
  await page.getByText('Found 2 rows in 1 file.').waitFor()
  t.deepEqual(complaints, [])
})

inBrowser(`the test set that all peers share is asked for, too${skipped}`, async (t) => {
  const { page, complaints } = await opened(t, { samples: { kind: 'table', test: 'test.csv' } })
  await page.getByText('too: “test.csv”').waitFor()
  const csv = (name: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from('x,y\n1,2\n') })
  await page.locator('#files').setInputFiles([csv('mine.csv')])
  await page.getByText('All peers test on “test.csv”').waitFor()
  t.true(await page.getByRole('button', { name: 'Join' }).isDisabled())
  await page.locator('#files').setInputFiles([csv('test.csv')])
  await page.getByText('Found 1 row in 1 file, and the test set “test.csv”.').waitFor()
  await page.getByRole('button', { name: 'Join' }).click()
  await page.waitForFunction(() => globalThis.fake.samples !== undefined)
  const paths = await page.evaluate(() => (globalThis.fake.samples as { path: string }[]).map(({ path }) => path))
  t.deepEqual(paths, ['mine.csv', 'test.csv'])
  t.deepEqual(complaints, [])
})

inBrowser(`training is shown as it goes; leaving, and what a peer calls itself, are safe${skipped}`, async (t) => {
  const { page, complaints } = await opened(t, { place: '<b>carol</b>' })
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('heading', { name: 'Training' }).waitFor()
  await page.evaluate(() => {
    globalThis.fake.train()
    globalThis.fake.emit({ kind: 'note', text: '<img src=x onerror=alert(1)>' })
  })
  t.is(await chip(page), 'training')
  t.is(await page.locator('#phase').textContent(), 'training with alice and bob')
  t.deepEqual(await page.locator('#tiles dd').allTextContents(), [
    '120 of 400',
    '0.305',
    '89.0 %',
    '95.8 MB',
    '94.1 MB'
  ])
  t.deepEqual(await page.locator('#charts [role=img]').evaluateAll((all) => all.map((each) => each.ariaLabel)), [
    'Loss by round; now 0.305',
    'Accuracy by round; now 89.0 %'
  ])
  t.deepEqual(await page.locator('#peers tbody tr').nth(1).locator('th,td').allTextContents(), [
    'bob',
    'silent',
    'WebSocket',
    '47 MB',
    '46 MB'
  ])
  t.is(await page.locator('main img, main b').count(), 0)
  await page.context().setOffline(true)
  await page.getByRole('alert').getByText('no network').waitFor()
  await page.context().setOffline(false)
  await page.getByRole('alert').waitFor({ state: 'hidden' })
  await page.evaluate(() => globalThis.fake.emit({ kind: 'phase', phase: 'waiting', text: 'waits for bob' }))
  t.deepEqual([await chip(page), await page.locator('#phase').textContent()], ['waiting', 'waits for bob'])
  await page.getByRole('button', { name: 'Leave the run' }).click()
  await page.getByRole('heading', { name: 'You left the run' }).waitFor()
  t.is(await chip(page), 'left')
  t.true(await page.getByRole('button', { name: 'Save the model' }).isVisible())
  t.deepEqual(complaints, [])
})

inBrowser(`a trained model is tried and saved; a reload in the middle goes on${skipped}`, async (t) => {
  const { page, complaints } = await opened(t)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.getByRole('heading', { name: 'Training' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Training' }).waitFor()
  await page.waitForFunction(() => globalThis.fake?.end !== undefined)
  await page.evaluate(() => {
    globalThis.fake.train(400)
    globalThis.fake.end()
  })
  await page.getByRole('heading', { name: 'The model is trained' }).waitFor()
  t.is(await page.locator('#summary').textContent(), '400 rounds: loss 0.2, accuracy 93.0 %.')
  const picture = await readFile(join(root, 'docs/images/swarm.png'))
  await page.locator('#tried').setInputFiles({ name: 'seven.png', mimeType: 'image/png', buffer: picture })
  await page.getByText('It is probably 7').waitFor()
  t.deepEqual(await page.locator('.share').allTextContents(), ['91.0 %', '7.0 %', '2.0 %'])
  await page.locator('#tried').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') })
  await page.locator('#prediction .wrong').getByText('takes images of 28 × 28').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the model' }).click()
  ])
  t.is(download.suggestedFilename(), 'digits.safetensors')
  t.is(await readFile(await download.path(), 'utf8'), 'model')
  t.deepEqual(complaints, [])
})

inBrowser(`a run that ends with an error says so, and offers the way back${skipped}`, async (t) => {
  const { page, complaints } = await opened(t)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.waitForFunction(() => globalThis.fake?.end !== undefined)
  await page.evaluate(() => globalThis.fake.end('all neighbours are missing: alice, bob'))
  await page.getByRole('heading', { name: 'The training ended early' }).waitFor()
  t.is(await page.locator('#phase').textContent(), 'all neighbours are missing: alice, bob')
  t.false(await page.getByRole('button', { name: 'Save the model' }).isVisible())
  t.true(await page.getByRole('button', { name: 'Come back' }).isVisible())
  t.deepEqual(complaints, [])
})

const phone = { viewport: { width: 375, height: 700 }, isMobile: true, hasTouch: true }

inBrowser(`every state fits a phone${skipped}`, async (t) => {
  const isWide = (page: Page) =>
    page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
  for (const setup of [{ refusal: 'no peer answers at '.repeat(9) }, images]) {
    const { page } = await opened(t, setup, phone)
    await page.locator('section:visible h2').waitFor()
    t.false(await isWide(page), JSON.stringify(setup))
  }
  const { page, complaints } = await opened(t, { run: 'x'.repeat(60) }, phone)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.waitForFunction(() => globalThis.fake?.end !== undefined)
  await page.evaluate(() => globalThis.fake.train())
  t.false(await isWide(page), 'training')
  await page.evaluate(() => globalThis.fake.end())
  await page.getByRole('heading', { name: 'The model is trained' }).waitFor()
  t.false(await isWide(page), 'finished')
  t.deepEqual(await page.evaluate(lowContrast), [])
  t.deepEqual(complaints, [])
})

inBrowser(`text can be read in the dark${skipped}`, async (t) => {
  const { page } = await opened(t, {}, { ...phone, colorScheme: 'dark' })
  await page.locator('#card:visible').waitFor()
  t.deepEqual(await page.evaluate(lowContrast), [])
  await page.getByRole('button', { name: 'Join' }).click()
  await page.waitForFunction(() => globalThis.fake?.end !== undefined)
  await page.evaluate(() => globalThis.fake.train())
  t.deepEqual(await page.evaluate(lowContrast), [])
})

/** The visible texts whose contrast with the page is below 4.5 : 1 (WCAG 2.2, 1.4.3). */
function lowContrast(): string[] {
  const light = (colour: string) => {
    const [red, green, blue] = (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map((part) => {
      const value = Number(part) / 255
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const behind = (element: Element | null): string => {
    if (element === null) return 'rgb(255, 255, 255)'
    const { backgroundColor } = getComputedStyle(element)
    return /, 0\)$/.test(backgroundColor) ? behind(element.parentElement) : backgroundColor
  }
  return [...document.querySelectorAll('main *, header *, footer *')].flatMap((element) => {
    const text = [...element.childNodes].find((node) => node.nodeType === 3 && node.textContent?.trim())
    if (text === undefined || !element.checkVisibility()) return []
    const [one, other] = [light(getComputedStyle(element).color), light(behind(element))]
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
    return contrast < 4.5 ? [`${text.textContent}: ${contrast.toFixed(1)}`] : []
  })
}
