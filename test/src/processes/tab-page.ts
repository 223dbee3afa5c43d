/** A page with @murmuration/browser, bundled as any application would. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Run, RunCard, RunEvent } from '@murmuration/browser'
import type { ExecutionContext } from 'ava'
import { build } from 'esbuild'
import { chromium, type Page } from 'playwright-core'
import { root } from '../repository.js'
import { executablePath, openedBrowser } from './browser.js'
import { servedPage } from './pages.js'

const script = `
import { openRun } from '@murmuration/browser'
window.events = []
window.open_ = async (link) => {
  window.run = await openRun(link)
  window.run.on((event) => window.events.push(event))
  return window.run.card
}
`

/** The files of the page, by name: its script and those of its workers, split into what they share. */
async function pageFiles(): Promise<Readonly<Record<string, Uint8Array>>> {
  const entryPoints = ['task-worker', 'predict-worker'].map((name) => `packages/browser/dist/${name}.js`)
  const options = { absWorkingDir: root, bundle: true, write: false, platform: 'browser', format: 'esm' } as const
  const common = { ...options, target: 'es2022', splitting: true, outdir: 'page', logLevel: 'error' } as const
  const page = { stdin: { contents: script, resolveDir: `${root}test`, sourcefile: 'page.js' } }
  const built = [await build({ ...common, ...page, entryNames: 'page' }), await build({ ...common, entryPoints })]
  const files = built.flatMap(({ outputFiles }) => outputFiles)
  const wasm = 'tfjs-backend-wasm-simd.wasm'
  const backend = createRequire(`${root}packages/tfjs/package.json`).resolve('@tensorflow/tfjs-backend-wasm')
  return {
    ...Object.fromEntries(files.map(({ path, contents }) => [path.slice(path.lastIndexOf('/') + 1), contents])),
    [wasm]: await readFile(join(dirname(backend), wasm))
  }
}

/** Opens an empty page with the package in a browser. */
export async function openedTab(t: ExecutionContext): Promise<{ page: Page; complaints: readonly string[] }> {
  return openedBrowser(t, await servedPage(t, await pageFiles()), {})
}

/** Opens that page in several profiles of one browser. */
export async function openedProfiles(t: ExecutionContext, count: number): Promise<readonly Page[]> {
  const url = await servedPage(t, await pageFiles())
  // Chromium's own sandbox does not start for root, as which tests run in containers; the page is the test's own. Names
  // of multicast DNS in place of addresses do not work everywhere.
  const args = ['--no-sandbox', '--disable-features=WebRtcHideLocalIpsWithMdns']
  const browser = await chromium.launch({ executablePath, args })
  t.teardown(() => browser.close())
  const open = async () => {
    const page = await (await browser.newContext()).newPage()
    await page.goto(url)
    return page
  }
  return Promise.all(Array.from({ length: count }, open))
}

/** What that page has. */
export interface TabWindow {
  readonly run: Run
  readonly events: RunEvent[]
  open_(link: string): Promise<RunCard>
}

/** Opens the run of a link in the page. */
export const opened = (page: Page, link: string) =>
  page.evaluate((text) => (window as unknown as TabWindow).open_(text), link)

/** Joins it there, to its end. */
export const joined = (page: Page) => page.evaluate(() => (window as unknown as TabWindow).run.join())

/** What has happened there. */
export const eventsOf = (page: Page) => page.evaluate(() => (window as unknown as TabWindow).events)
