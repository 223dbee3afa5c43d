/** A page in Chromium with the peers of packages/libp2p, bundled as any page would. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ExecutionContext } from 'ava'
import { build } from 'esbuild'
import { type Page } from 'playwright-core'
import { openedBrowser } from './browser.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const bundles = new Map<string, Promise<string>>()

/** The bundle of a script, which several tests may share. */
function bundleOf(contents: string): Promise<string> {
  const bundle =
    bundles.get(contents) ??
    build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      format: 'esm',
      platform: 'browser',
      target: 'es2022',
      write: false,
      logLevel: 'error'
    }).then(({ outputFiles: [{ text }] }) => text)
  bundles.set(contents, bundle)
  return bundle
}

/** Serves a page whose script has these contents, and opens it in Chromium. */
export async function openedTab(
  t: ExecutionContext,
  contents: string
): Promise<{ readonly page: Page; readonly complaints: readonly string[]; readonly origin: string }> {
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
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { ...(await openedBrowser(t, `${origin}/`, {})), origin }
}
