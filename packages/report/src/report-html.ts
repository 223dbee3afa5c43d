/** The report: one HTML file that opens from a disk and loads nothing. */
import { createHash } from 'node:crypto'
import { invariant } from '@murmuration/core'
import { checksHtml, licencesHtml, makingHtml } from './document/evidence.js'
import { findingHtml, headerHtml } from './document/finding.js'
import { methodsHtml, mapHtml, settingHtml, timelinesHtml } from './document/parts.js'
import { styleOf } from './document/style.js'
import { libraryLicences, libraryScripts } from './libraries.js'
import { Html, jsonForScript, markup } from './markup.js'
import { pageScript } from './page-script.js'
import { pageData } from './prepare/page-data.js'
import type { Results } from '@murmuration/results'

/**
 * The whole report as HTML. All texts from the results are escaped, and a content security policy forbids other scripts
 * and all loading. Throws an InputError when a run has a setting or a method that the sweep does not have.
 */
export async function reportHtml(results: Results): Promise<string> {
  const data = pageData(results)
  const libraries = await libraryScripts()
  const page = await pageScript(new URL('./page/main.js', import.meta.url))
  const sections = [
    headerHtml(results, data),
    markup`<noscript><p class="wrong">The charts need JavaScript; the texts and some tables do not.</p></noscript>`,
    mapHtml(data),
    findingHtml(results, data),
    methodsHtml(results),
    settingHtml(data),
    timelinesHtml(data),
    checksHtml(results),
    makingHtml(results)
  ]
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy([...libraries, page])}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${results.sweep.title}</title>
<link rel="icon" href="data:,">
<style>${new Html(styleOf(data))}</style>
</head>
<body>
<main>${sections}</main>
${licencesHtml(await libraryLicences())}
<script type="application/json" id="data">${jsonForScript(data)}</script>
${libraries.map((text) => script('', text))}
${script(' type="module"', page)}
</body>
</html>
`.text
}

/** A script, verbatim: its text must not end the element, since script elements have no escaping. */
function script(attributes: string, text: string): Html {
  invariant(!/<\/script|<!--/i.test(text), 'a script of the report would end before its end')
  return new Html(`<script${attributes}>${text}</script>\n`)
}

/**
 * Only the scripts with these texts run; nothing is fetched. Styles are allowed, since the charts set styles of their
 * elements.
 */
function policy(scripts: readonly string[]): string {
  const hashes = scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
  return `default-src 'none'; script-src ${hashes.join(' ')}; style-src 'unsafe-inline'; img-src data:`
}
