import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The repository's root folder, with a slash at its end. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** All files that git tracks or would add, relative to the root. */
export function repositoryFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  return listed.toString().split('\n').filter(Boolean)
}

/** The text of a file of the repository. */
export function textOf(file: string): string {
  return readFileSync(root + file, 'utf8')
}

/** All files in a folder of the repository, whether git tracks them or not, relative to the root. */
export function filesUnder(folder: string): string[] {
  return readdirSync(root + folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`)
}

/** The compiler, as a program for Node. */
export const tsc = `${root}node_modules/typescript/bin/tsc`
