/** The page's script: small, so that the page is there at once. The peer itself follows. */
import { startPage } from './page.js'

void startPage(async (link, options) => {
  const { openRun } = await import('@murmuration/browser')
  return openRun(link, options)
})
