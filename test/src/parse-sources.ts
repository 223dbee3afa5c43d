/**
 * Prints, as JSON, what all sources import and which types they declare. A program of its own: the parser is native
 * code, which crashes now and then in threads, where tests run.
 */
import { existsSync } from 'node:fs'
import { type ModuleItem, parseSync } from '@swc/core'
import { cruise, type ICruiseOptions, type ICruiseResult } from 'dependency-cruiser'
import type { DeclaredType, ParsedSources } from './parsed-sources.js'
import { repositoryFiles, root, textOf } from './repository.js'

const declarations = new Set([
  'ClassDeclaration',
  'TsInterfaceDeclaration',
  'TsTypeAliasDeclaration',
  'TsEnumDeclaration'
])

function declaredBy(file: string): DeclaredType[] {
  const { body } = parseSync(textOf(file), { syntax: 'typescript', target: 'es2022' })
  return body.flatMap((item: ModuleItem): DeclaredType[] => {
    const declaration = item.type === 'ExportDeclaration' ? item.declaration : item
    if (!declarations.has(declaration.type)) return []
    if (declaration.type === 'ClassDeclaration')
      return [{ file, name: declaration.identifier.value, members: declaration.body.length }]
    return 'id' in declaration && 'value' in declaration.id ? [{ file, name: declaration.id.value }] : []
  })
}

const options: ICruiseOptions = {
  baseDir: root,
  // Imports of types, and of what is only typed, are dependencies too.
  tsPreCompilationDeps: true,
  parser: 'swc',
  doNotFollow: { path: 'node_modules' },
  exclude: { path: '/dist/|/assembly/|node_modules/\\.' },
  validate: true,
  ruleSet: { forbidden: [{ name: 'circle', severity: 'error', from: {}, to: { circular: true } }] }
}
// What a package imports by its own conditions is what Node gets; the files of browsers are sources of their own.
const alias = [
  { name: '#platform', alias: `${root}packages/experiment/src/platform/node.ts`, onlyModule: true },
  { name: '#platform', alias: `${root}packages/libp2p/src` },
  ...['data', 'files', 'tfjs'].map((name) => ({ name: `#${name}`, alias: `${root}packages/${name}/src` }))
]
const { output } = await cruise(['packages', 'test/src', 'studies', 'examples'], options, { alias })
const { modules, summary } = output as ICruiseResult
const files = repositoryFiles().filter(
  (file) => /^(packages\/[^/]+|test|studies)\/(?!.*\.test\.).*\.ts$/.test(file) && !file.includes('/assembly/')
)
const parsed: ParsedSources = {
  modules: modules
    .filter(({ source }) => /^(packages\/[^/]+\/src|test\/src|studies|examples)\/.*\.(ts|mjs|js)$/.test(source))
    .map(({ source, dependencies }) => ({
      source,
      dependencies: dependencies.map(({ module, resolved, dynamic, coreModule }) => {
        return { module, resolved, dynamic, coreModule }
      })
    })),
  circles: summary.violations.map(({ from, cycle = [] }) => [from, ...cycle.map(({ name }) => name)].join(' → ')),
  types: files.filter((file) => existsSync(root + file)).flatMap(declaredBy)
}
process.stdout.write(JSON.stringify(parsed))
