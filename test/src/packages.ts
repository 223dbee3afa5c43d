/** The packages of the repository and what their READMEs show. */
import { existsSync, readdirSync } from 'node:fs'
import { root, textOf } from './repository.js'

/** The folders in `packages`. */
export const packageNames: readonly string[] = readdirSync(`${root}packages`).sort()

/** The TypeScript that a package's README shows, if it shows any. */
export function readmeCode(name: string): string | undefined {
  const file = `packages/${name}/README.md`
  if (!existsSync(root + file)) return undefined
  return /```ts\n([\s\S]*?)```/.exec(textOf(file))?.[1]
}

/** What code says that it prints: the comment at the end of each line with `console.log`. */
export function shownOutput(code: string): readonly string[] {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map((match) => match[1])
}
