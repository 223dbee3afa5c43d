import { readFile } from 'node:fs/promises'

/** The text of one of this package's compiled modules, by its path from here. */
export async function textOfModule(module: string): Promise<string> {
  const text = await readFile(new URL(module, import.meta.url), 'utf8')
  return text.replace(/^\/\/# sourceMappingURL=.*\n?/m, '')
}
