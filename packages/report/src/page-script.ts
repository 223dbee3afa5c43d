/** The page's modules as one script, since a file that was opened from disk cannot import others. */
import { readFile } from 'node:fs/promises'
import { invariant } from '@murmuration/core'

const importStatement = /^import\s[^'"]*['"](\.[^'"]+)['"];?$/gm
const declaration = /^(?:async )?(?:function|const|let|class) (\w+)/gm

/**
 * The compiled module and all its imports, each after its own imports. All modules share one top-level scope, so no two
 * may use the same name, and no import may be renamed.
 */
export async function pageScript(entry: URL): Promise<string> {
  const texts: string[] = []
  await addModule(entry, new Set(), texts)
  const script = texts.join('\n')
  const names = [...script.matchAll(declaration)].map(([, name]) => name)
  const duplicate = names.find((name, index) => names.indexOf(name) !== index)
  invariant(duplicate === undefined, `the page's modules declare ${duplicate} twice`)
  return script
}

async function addModule(url: URL, seen: Set<string>, texts: string[]): Promise<void> {
  if (seen.has(url.href)) return
  seen.add(url.href)
  const text = await readFile(url, 'utf8')
  for (const [statement, path] of text.matchAll(importStatement)) {
    invariant(!/\sas\s/.test(statement), `${url.href} renames what it imports from ${path}`)
    await addModule(new URL(path, url), seen, texts)
  }
  texts.push(withoutLinks(text))
}

const withoutLinks = (text: string): string =>
  text
    .replace(importStatement, '')
    .replace(/^export \{\};?$/gm, '')
    .replace(/^export /gm, '')
    .replace(/^\/\/# sourceMappingURL=.*$/gm, '')
    .trim()
