/** The packages of the repository, the code in their READMEs, and the archives that `npm pack` makes of them. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root, textOf } from '../repository.js'

/** The folders in `packages`. */
export const packageNames: readonly string[] = readdirSync(`${root}packages`).sort()

/** The TypeScript code of a package's README, if it has any. */
export function readmeCode(name: string): string | undefined {
  const file = `packages/${name}/README.md`
  if (!existsSync(root + file)) return undefined
  return /```ts\n([\s\S]*?)```/.exec(textOf(file))?.[1]
}

/** The output that code documents: the comment at the end of each line with `console.log`. */
export function shownOutput(code: string): readonly string[] {
  return [...code.matchAll(/console\.log\(.*\) \/\/ (.+)$/gm)].map((match) => match[1])
}

/** A package as `npm pack` makes it. */
export interface Archive {
  readonly name: string
  readonly file: string
}

/**
 * Packs packages into `folder`, from a copy of the repository: packing temporarily copies the samples into the
 * command's folder.
 */
export function pack(folder: string, names: readonly string[]): readonly Archive[] {
  const copy = join(folder, 'repository')
  const filter = (path: string) => !path.includes('node_modules')
  for (const part of [...names.map((name) => `packages/${name}`), 'topologies', 'sim', 'examples', 'docs/schemas'])
    cpSync(join(root, part), join(copy, part), { recursive: true, filter })
  const folders = names.map((name) => `./packages/${name}`)
  execFileSync('npm', ['pack', ...folders, '--pack-destination', folder], { cwd: copy, stdio: 'ignore' })
  const archives = readdirSync(folder).filter((file) => file.endsWith('.tgz'))
  return names.map((name) => {
    const [archive] = archives.filter((file) => file.startsWith(`murmuration-${name}-`))
    return { name, file: join(folder, archive) }
  })
}
