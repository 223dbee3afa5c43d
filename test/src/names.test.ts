/** One name for one thing: a type name that two files declare is listed here, with a reason. */
import { existsSync } from 'node:fs'
import { type ModuleItem, parseSync } from '@swc/core'
import test from 'ava'
import { repositoryFiles, root, textOf } from './repository.js'

/** The same thing in several worlds, packages or layers. */
const shared: readonly (readonly [name: string, reason: string])[] = [
  ['Mailbox', 'received messages: by tag in the engine, in the order of arrival in each world'],
  ['Mixing', "a peer's row of W: core's as data, the engine's with the route of one exchange"],
  ['Peer', 'one peer: its training in the engine, its place on the network in libp2p'],
  ['Signer', "a peer's signatures: libp2p's by its identity, the membership's bound to the run"],
  ['Term', 'a weight and what it multiplies: numbers in vectors, values of a record in the engine'],
  ['Wire', "messages of one shape: core's interface for worlds, the engine's class that encodes them"]
]

const declarations = new Set([
  'ClassDeclaration',
  'TsInterfaceDeclaration',
  'TsTypeAliasDeclaration',
  'TsEnumDeclaration'
])

/** The name of the type that a statement declares, if it declares one. */
function typeOf(item: ModuleItem): string | undefined {
  const declaration = item.type === 'ExportDeclaration' ? item.declaration : item
  if (!declarations.has(declaration.type)) return undefined
  if ('identifier' in declaration) return declaration.identifier.value
  return 'id' in declaration && 'value' in declaration.id ? declaration.id.value : undefined
}

/** The files that declare each type name. */
function declaringFiles(): ReadonlyMap<string, ReadonlySet<string>> {
  const files = repositoryFiles().filter(
    (file) => /^(packages\/[^/]+|test|studies)\/(?!.*\.test\.).*\.ts$/.test(file) && !file.includes('/assembly/')
  )
  const declaring = new Map<string, Set<string>>()
  for (const file of files.filter((name) => existsSync(root + name))) {
    for (const item of parseSync(textOf(file), { syntax: 'typescript', target: 'es2022' }).body) {
      const name = typeOf(item)
      if (name !== undefined) declaring.set(name, (declaring.get(name) ?? new Set()).add(file))
    }
  }
  return declaring
}

test('a type name is declared in one file, unless it is listed with a reason', (t) => {
  const twice = [...declaringFiles()].filter(([, files]) => files.size > 1)
  const listed = new Set(shared.map(([name]) => name))
  const unlisted = twice.filter(([name]) => !listed.has(name))
  t.deepEqual(
    unlisted.map(([name, files]) => `${name}: ${[...files].join(', ')}`),
    [],
    'say in the name what the thing is in its own subject, or import it'
  )
  const known = new Set(twice.map(([name]) => name))
  t.deepEqual(
    [...listed].filter((name) => !known.has(name)),
    [],
    'these are declared only once: remove them from the lists'
  )
})
