import { existsSync, readdirSync } from 'node:fs'
import { extname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InputError } from '@murmuration/core'
import { nearest } from '@murmuration/files'
import { checkKind, kindOf } from './file-kinds.js'

/** The kinds of samples in the package, each a folder. */
export type SampleKind = 'topologies' | 'sim' | 'examples'

/** The kind of the YAML files in each folder. */
const kinds = { topologies: 'topology', sim: 'scenario', examples: 'training' } as const

/** The copy exists once the package is packed; in the repository the samples are at the root. */
const packed = fileURLToPath(new URL('../samples/', import.meta.url))
const root = existsSync(packed) ? packed : fileURLToPath(new URL('../../../', import.meta.url))

/**
 * The file or sample that `path` means. A sample may be named `ring-4`, `ring-4.yaml` or `topologies/ring-4.yaml`.
 * Throws an InputError that lists the samples when there is neither, or when the file is of another kind.
 */
export function fileOrSample(path: string, kind: SampleKind): string {
  if (existsSync(path)) {
    checkKind(path, kinds[kind])
    return path
  }
  const sample = sampleOf(path, kind)
  if (sample !== undefined) return sample
  const samples = samplesOfItsKind(kind)
  const localFiles = readdirSync('.').filter((name) => extname(name) === '.yaml')
  throw new InputError(
    `${path}: found no such file or sample; the samples are ${samples.join(', ')}${nearest(path, [...localFiles, ...samples])}`
  )
}

/** The sample that `path` means; an existing file has precedence. */
export function sampleOf(path: string, kind: SampleKind): string | undefined {
  if (existsSync(path) || isAbsolute(path) || path.split(/[\\/]/).includes('..')) return undefined
  const names = [path, `${path}.yaml`, join(kind, path), join(kind, `${path}.yaml`)]
  return names.filter((name) => samplesOf(kind).includes(name.replaceAll('\\', '/'))).map((name) => join(root, name))[0]
}

/** The names for the command line. */
function samplesOf(kind: SampleKind): string[] {
  return readdirSync(join(root, kind), { recursive: true, encoding: 'utf8' })
    .filter((name) => ['.yaml', '.js'].includes(extname(name)) && !/node_modules|dist/.test(name))
    .map((name) => `${kind}/${name.replaceAll('\\', '/')}`)
    .sort()
}

/** Without files of other kinds in the folder, such as links and modules. */
function samplesOfItsKind(kind: SampleKind): string[] {
  return samplesOf(kind).filter((name) => extname(name) === '.yaml' && kindOf(join(root, name)) === kinds[kind])
}

/** The short names that `fileOrSample` accepts: `ring-4`, `mnist/mlp`. */
export function shortSamplesOf(kind: SampleKind): readonly string[] {
  return samplesOfItsKind(kind).map((name) => name.slice(`${kind}/`.length, -'.yaml'.length))
}

/** The JSON Schema of a kind of file, for editors. */
export function schemaFile(name: 'topology' | 'training'): string {
  return join(root, 'docs/schemas', `${name}.schema.json`)
}
