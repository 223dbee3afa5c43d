import { existsSync, readdirSync } from 'node:fs'
import { extname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { InputError } from '@murmuration/core'
import { nearest } from '@murmuration/files'
import { checkKind, kindOf } from './file-kinds.js'

/** The kinds of samples that come with the package, each a folder. */
export type SampleKind = 'topologies' | 'sim' | 'examples'

/** What the YAML files of a folder are. */
const kinds = { topologies: 'topology', sim: 'scenario', examples: 'training' } as const

/** A copy is made when the package is packed; in the repository the samples are at the root. */
const packed = fileURLToPath(new URL('../samples/', import.meta.url))
const root = existsSync(packed) ? packed : fileURLToPath(new URL('../../../', import.meta.url))

/**
 * The file that is meant by `path`: the one of that name, or else the sample: `ring-4`, `ring-4.yaml` or
 * `topologies/ring-4.yaml`. Throws an InputError that names the samples when there is
 * neither, or when the file is of another kind.
 */
export function fileOrSample(path: string, kind: SampleKind): string {
  if (existsSync(path)) {
    checkKind(path, kinds[kind])
    return path
  }
  const sample = sampleOf(path, kind)
  if (sample !== undefined) return sample
  const samples = samplesOfItsKind(kind)
  const here = readdirSync('.').filter((name) => extname(name) === '.yaml')
  throw new InputError(
    `${path}: no such file, nor a sample of that name; there are ${samples.join(', ')}${nearest(path, [...here, ...samples])}`
  )
}

/** The sample that is meant by `path`; a file of that name comes before it. */
export function sampleOf(path: string, kind: SampleKind): string | undefined {
  if (existsSync(path) || isAbsolute(path) || path.split(/[\\/]/).includes('..')) return undefined
  const places = [path, `${path}.yaml`, join(kind, path), join(kind, `${path}.yaml`)]
  return places
    .filter((place) => samplesOf(kind).includes(place.replaceAll('\\', '/')))
    .map((place) => join(root, place))[0]
}

/** As they can be written on the command line. */
function samplesOf(kind: SampleKind): string[] {
  return readdirSync(join(root, kind), { recursive: true, encoding: 'utf8' })
    .filter((name) => ['.yaml', '.js'].includes(extname(name)) && !/node_modules|dist/.test(name))
    .map((name) => `${kind}/${name.replaceAll('\\', '/')}`)
    .sort()
}

/** Without what lies beside them: links, modules. */
function samplesOfItsKind(kind: SampleKind): string[] {
  return samplesOf(kind).filter((name) => extname(name) === '.yaml' && kindOf(join(root, name)) === kinds[kind])
}

/** As short as `fileOrSample` takes them: `ring-4`, `mnist/mlp`. */
export function shortSamplesOf(kind: SampleKind): readonly string[] {
  return samplesOfItsKind(kind).map((name) => name.slice(`${kind}/`.length, -'.yaml'.length))
}

/** The JSON Schema of a kind of file, for editors. */
export function schemaFile(name: 'topology' | 'training'): string {
  return join(root, 'docs/schemas', `${name}.schema.json`)
}
