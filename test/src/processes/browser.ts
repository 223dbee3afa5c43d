/** A real browser, where the machine has one. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const programs = ['chromium', 'chromium-browser', 'google-chrome']

/** The path of the browser. */
export const executablePath = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => programs.map((program) => join(folder, program)))
  .find((file) => existsSync(file))

/** For the title of a test that needs one. */
export const skipped =
  executablePath === undefined ? ' (skipped: there is no chromium, chromium-browser or google-chrome)' : ''

/** A page, its console output, and its attempts to load something from elsewhere. */
export async function openedBrowser(
  t: ExecutionContext,
  url: string,
  options: BrowserContextOptions
): Promise<{ readonly page: Page; readonly complaints: string[] }> {
  if (executablePath === undefined) throw new Error('no browser')
  // Chromium's own sandbox does not start for root, as which tests run in containers; the page is the test's own.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  const page = await (await browser.newContext(options)).newPage()
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin && !request.url().startsWith('data:'))
      complaints.push(request.url())
  })
  await page.goto(url)
  return { page, complaints }
}
