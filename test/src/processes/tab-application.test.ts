/** The example of a web application with a peer, built by Vite as its author would, and used by a person. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import { root } from '../repository.js'
import { executablePath, openedBrowser, skipped } from './browser.js'
import { temporaryFolder } from './command.js'
import { servedPage } from './pages.js'

const vite = join(root, 'examples/browser/node_modules/vite/bin/vite.js')
const isInstalled = existsSync(vite)
const inBrowser = executablePath === undefined || !isInstalled ? test.skip : test
const reason = isInstalled ? skipped : ' (skipped: run npm install in examples/browser)'

inBrowser(
  `an application that Vite builds without configuration finds its workers, and says what is wrong${reason}`,
  async (t) => {
    t.timeout(timeLimit(120_000))
    const out = await temporaryFolder()
    await promisify(execFile)(process.execPath, [vite, 'build', '--outDir', out, '--logLevel', 'error'], {
      cwd: join(root, 'examples/browser')
    })
    const assets = await readdir(join(out, 'assets'))
    for (const name of [/^task-worker-.*\.js$/, /^predict-worker-.*\.js$/, /^tfjs-backend-wasm-simd-.*\.wasm$/])
      t.true(
        assets.some((file) => name.test(file)),
        String(name)
      )
    const files = await Promise.all(
      ['', ...assets.map((file) => `assets/${file}`)].map(async (name) => [
        name,
        await readFile(join(out, name || 'index.html'))
      ])
    )
    const { page, complaints } = await openedBrowser(t, await servedPage(t, Object.fromEntries(files)), {})
    await page.fill('input', 'http://localhost/#join=murmur1.x')
    await page.click('button')
    await page.waitForFunction(() => document.querySelector('output')?.textContent !== '')
    t.regex((await page.textContent('output')) ?? '', /^The invitation .*expected the whole line/)
    t.deepEqual(
      complaints.filter((text) => text.startsWith('error: ')),
      []
    )
  }
)
