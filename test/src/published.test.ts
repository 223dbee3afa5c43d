/** Every package as it is published: what its package.json says, its licences, and a README whose code runs. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import ts from 'typescript'
import { packageNames, readmeCode, shownOutput } from './packages.js'
import { root, textOf } from './repository.js'

interface Manifest {
  readonly name: string
  readonly description?: string
  readonly license?: string
  readonly repository?: unknown
  readonly keywords?: readonly string[]
  readonly publishConfig?: unknown
  readonly files?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
}

const manifestOf = (name: string) => JSON.parse(textOf(`packages/${name}/package.json`)) as Manifest

for (const name of packageNames) {
  test(`${name}: package.json says all that a registry shows`, (t) => {
    const { name: full, description, license, repository, keywords = [], publishConfig } = manifestOf(name)
    t.is(full, `@murmuration/${name}`)
    t.truthy(description)
    t.is(license, 'Apache-2.0 OR MIT')
    const url = 'git+https://github.com/murmuration/murmuration.git'
    t.deepEqual(repository, { type: 'git', url, directory: `packages/${name}` })
    t.true(keywords.includes('decentralized-learning') && keywords.length >= 3, keywords.join())
    t.deepEqual(publishConfig, { access: 'public' })
  })

  test(`${name}: source maps find their sources, and the package contains no test`, (t) => {
    const { files = [], dependencies = {} } = manifestOf(name)
    for (const pattern of ['dist', 'src', '!**/*.test.*', '!dist/.tsbuildinfo'])
      t.true(files.includes(pattern), pattern)
    const testOnly = ['@murmuration/contract', 'ava', 'fast-check'].filter((each) => each in dependencies)
    t.deepEqual(testOnly, [])
  })

  test(`${name}: its licences are those of the repository`, (t) => {
    for (const file of ['LICENSE-APACHE', 'LICENSE-MIT']) t.is(textOf(`packages/${name}/${file}`), textOf(file))
  })

  test(`${name}: the README says what it is and how to install it`, (t) => {
    const text = textOf(`packages/${name}/README.md`)
    t.true(text.startsWith(`# @murmuration/${name}\n\n`))
    const [install = ''] = /^npm install .*$/m.exec(text) ?? []
    const imported = [...(readmeCode(name) ?? '').matchAll(/from '(@murmuration\/[a-z0-9]+)/g)].map((match) => match[1])
    for (const needed of [`@murmuration/${name}`, ...imported]) t.true(install.split(' ').includes(needed), needed)
  })
}

const folder = join(root, 'test/dist/readmes')

for (const name of packageNames) {
  const code = readmeCode(name)
  if (code === undefined) continue
  test.serial(`${name}: the code of the README runs and prints what it says`, async (t) => {
    const isSuite = code.includes("from 'ava'")
    const file = `${name}.js`
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'ava.config.js'), `export default { files: ['${file}'] }`)
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    await writeFile(
      join(folder, file),
      ts.transpile(code, { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext })
    )
    const args = isSuite
      ? [join(root, 'node_modules/ava/entrypoints/cli.mjs'), '--config', 'ava.config.js', file]
      : [file]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, timeout: timeLimit(60_000) })
    if (isSuite) t.regex(stdout, /[1-9] tests passed/)
    else t.deepEqual(stdout.trimEnd().split('\n'), [...shownOutput(code)])
  })
}

test('every package but the command shows code in its README', (t) => {
  t.deepEqual(
    packageNames.filter((name) => readmeCode(name) === undefined),
    ['cli']
  )
})
