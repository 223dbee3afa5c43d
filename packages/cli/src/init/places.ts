/** Paths and commands in the form that the files and the next steps of `murmur init` need. */
import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { InputError } from '@murmuration/core'
import { nearest } from '@murmuration/files'
import { schemaFile } from '../samples.js'
import { version } from '../version.js'

/**
 * Converts a path relative to the current folder to one relative to `folder`, as YAML. Throws an InputError when
 * nothing exists there.
 */
export function pathText(folder: string, path: string, words: readonly string[]): string {
  if (!existsSync(path)) {
    throw new InputError(`found no ${path}, expected ${words.join(', ')} or a path${nearest(path, words)}`)
  }
  const fromFolder = relative(folder, resolve(path)).replaceAll('\\', '/')
  return JSON.stringify(fromFolder.startsWith('.') ? fromFolder : `./${fromFolder}`)
}

/** The schema in the package that is installed for this folder, or the published one. */
export function schemaPlace(folder: string, name: 'topology' | 'training'): string {
  const path = relative(folder, schemaFile(name)).replaceAll('\\', '/')
  if (/^(\.\.\/)*node_modules\//.test(path)) return path
  return `https://unpkg.com/@murmuration/cli@${version}/samples/docs/schemas/${name}.schema.json`
}

/**
 * How to call the command in a folder: it is installed there or above, is installed elsewhere, or is fetched for each
 * call.
 */
export function commandIn(folder: string): string {
  if (existsSync(join(folder, 'node_modules/.bin/murmur'))) return 'npx murmur'
  if (dirname(folder) !== folder) return commandIn(dirname(folder))
  return process.env.npm_command === 'exec' ? 'npx @murmuration/cli' : 'murmur'
}
