/** Programs of a page: bundled as any bundler would, without a plugin, and run in a real browser. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionContext } from 'ava'
import { build } from 'esbuild'
import { root } from '../repository.js'

/** Bundles modules for a page, by the names of their files there: text of a module, or a path from the root. */
export async function bundled(
  entries: Readonly<Record<string, string>>
): Promise<Readonly<Record<string, Uint8Array>>> {
  const files: Record<string, Uint8Array> = {}
  for (const [name, entry] of Object.entries(entries)) {
    const source = entry.includes('\n')
      ? { stdin: { contents: entry, resolveDir: `${root}test` } }
      : { entryPoints: [root + entry] }
    const { outputFiles } = await build({
      ...source,
      absWorkingDir: root,
      bundle: true,
      platform: 'browser',
      format: 'esm',
      target: 'es2022',
      outdir: 'page',
      write: false,
      logLevel: 'silent'
    })
    files[name] = outputFiles[0].contents
  }
  return files
}

/** Serves files, and unless one has no name, an empty page that runs `page.js`. Returns its address. */
export async function servedPage(
  t: Pick<ExecutionContext, 'teardown'>,
  files: Readonly<Record<string, Uint8Array>>,
  headers: Readonly<Record<string, string>> = {}
): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    const name = url.slice(1)
    const body =
      files[name] ?? (name === '' ? '<!doctype html><script type="module" src="page.js"></script>' : undefined)
    const type = name === '' ? 'text/html' : 'text/javascript'
    response.writeHead(body === undefined ? 404 : 200, { ...headers, 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
