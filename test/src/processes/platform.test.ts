/** The platform of a page, in a real browser: the cases that packages/platform runs in Node, too. */
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import { openedBrowser, executablePath, skipped } from './browser.js'
import { bundled, servedPage } from './pages.js'

const inBrowser = executablePath === undefined ? test.serial.skip : test.serial

/** Runs each case and keeps what it threw, by title. */
const page = `
import * as platform from '@murmuration/platform'
import { contract } from '../packages/platform/dist/contract.test.support.js'

const worker = (file) => () => new Worker(new URL(file, location), { type: 'module' })
window.results = (async () => {
  const results = {}
  for (const [title, act] of Object.entries(contract)) {
    const place = { platform, folder: title, program: worker('thread.js'), missing: worker('none.js') }
    results[title] = await act(place).then(() => 'passed', (error) => error.stack)
  }
  return { results, isBrowser: platform.isBrowser, hasSharedMemory: platform.hasSharedMemory }
})()
`

const isolated = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }

for (const [title, headers] of [
  ['a page', {}],
  ['a cross-origin isolated page', isolated]
] as const) {
  inBrowser(`the platform does in ${title} what it does in Node${skipped}`, async (t) => {
    t.timeout(timeLimit(30_000))
    const thread = 'packages/platform/dist/thread.test.support.js'
    const url = await servedPage(t, await bundled({ 'page.js': page, 'thread.js': thread }), headers)
    const opened = await openedBrowser(t, url, {})
    const { results, isBrowser, hasSharedMemory } = await opened.page.evaluate(
      () => (window as unknown as { results: Promise<PageResults> }).results
    )
    t.true(isBrowser)
    t.is(hasSharedMemory, headers === isolated)
    t.true(Object.keys(results).length > 8)
    for (const [name, result] of Object.entries(results)) t.is(result, 'passed', name)
  })
}

interface PageResults {
  readonly results: Readonly<Record<string, string>>
  readonly isBrowser: boolean
  readonly hasSharedMemory: boolean
}
