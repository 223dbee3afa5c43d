/** Pages in Chromium with the peers of packages/libp2p, bundled as any page would be. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ExecutionContext } from 'ava'
import { build } from 'esbuild'
import { chromium, type Page } from 'playwright-core'
import { executablePath } from './browser.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A page, and the errors in it. */
export interface Tab {
  readonly page: Page
  readonly errors: readonly string[]
}

const bundles = new Map<string, Promise<string>>()

/** The bundle of a script, which several tests may share. */
function bundleOf(contents: string): Promise<string> {
  const options = { bundle: true, format: 'esm', platform: 'browser', target: 'es2022', write: false } as const
  const bundle =
    bundles.get(contents) ??
    build({ ...options, stdin: { contents, resolveDir: root } }).then(({ outputFiles: [{ text }] }) => text)
  bundles.set(contents, bundle)
  return bundle
}

/** Serves a page whose script has these contents, and opens it in Chromium, several times. */
export async function openedTabs(t: ExecutionContext, contents: string, count = 1): Promise<readonly Tab[]> {
  const text = await bundleOf(contents)
  const server = createServer(({ url }, response) => {
    const isScript = url === '/page.js'
    // With these a page has shared memory.
    response.setHeader('cross-origin-opener-policy', 'same-origin')
    response.setHeader('cross-origin-embedder-policy', 'require-corp')
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? text : '<!doctype html><title>tab</title><script type=module src=page.js></script>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  // Chromium's own sandbox does not start for root, as which tests run in containers; the page is the test's own. Names
  // of multicast DNS in place of addresses do not work everywhere.
  const args = ['--no-sandbox', '--disable-features=WebRtcHideLocalIpsWithMdns']
  const browser = await chromium.launch({ executablePath, args })
  t.teardown(() => browser.close())
  const open = async () => {
    const page = await (await browser.newContext()).newPage()
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    return { page, errors }
  }
  return Promise.all(Array.from({ length: count }, open))
}
