/** Every package as it is published: what its package.json says, its licences, and a README whose code runs. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import { packageNames, readmeCode, shownOutput } from './packages.js'
import { root, textOf, tsc } from '../repository.js'
import { runToEnd } from './run-to-end.js'

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

  test(`${name}: the README says what it is and how to install it`, (t) => {
    const text = textOf(`packages/${name}/README.md`)
    t.true(text.startsWith(`# @murmuration/${name}\n\n`))
    const [install = ''] = /^npm install .*$/m.exec(text) ?? []
    const imported = [...(readmeCode(name) ?? '').matchAll(/from '(@murmuration\/[a-z0-9]+)/g)].map((match) => match[1])
    for (const needed of [`@murmuration/${name}`, ...imported]) t.true(install.split(' ').includes(needed), needed)
  })
}

test('every package that is published contains the licences of the repository', async (t) => {
  const args = ['pack', '--workspaces', '--dry-run', '--ignore-scripts', '--json']
  const { stdout } = await promisify(execFile)('npm', args, {
    cwd: root,
    maxBuffer: 2 ** 26,
    shell: process.platform === 'win32'
  })
  const packed = JSON.parse(stdout) as readonly {
    readonly name: string
    readonly files: readonly { readonly path: string }[]
  }[]
  const licences = ['LICENSE-APACHE', 'LICENSE-MIT']
  for (const name of packageNames) {
    const { files = [] } = packed.find((each) => each.name === `@murmuration/${name}`) ?? {}
    const found = files.map(({ path }) => path).filter((path) => path.startsWith('LICENSE'))
    t.deepEqual(found.sort(), licences, name)
    for (const file of licences) t.is(textOf(`packages/${name}/${file}`), textOf(file))
  }
})

const folder = join(root, 'test/dist/readmes')
const codes = packageNames.flatMap((name) => {
  const code = readmeCode(name)
  return code === undefined ? [] : [{ name, code }]
})

const isSuite = ({ code }: { readonly code: string }) => code.includes("from 'ava'")
const programs = codes.filter((each) => !isSuite(each))

/** What each program prints. */
const printed = new Map<string, string>()

test.before('the code of all READMEs compiles, and the programs run one after the other in a process', async (t) => {
  t.timeout(timeLimit(120_000))
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  for (const { name, code } of codes) await writeFile(join(folder, `${name}.ts`), code)
  const compilerOptions = { rootDir: '.', outDir: '.' }
  const options = { extends: '../../../tsconfig.base.json', compilerOptions, include: ['*.ts'], exclude: [] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(options))
  await run([tsc])
  const lines = programs.map(({ name }) => `console.log('README of ${name}')\nawait import('./${name}.js')\n`)
  await writeFile(join(folder, 'programs.mjs'), lines.join(''))
  const [, ...sections] = (await run(['programs.mjs'])).split(/^README of /m)
  for (const section of sections) {
    const [name, ...output] = section.trimEnd().split('\n')
    printed.set(name, output.join('\n'))
  }
})

for (const { name, code } of programs) {
  test.serial(`${name}: the code of the README runs and prints what it says`, (t) => {
    t.deepEqual(printed.get(name)?.split('\n'), [...shownOutput(code)])
  })
}

for (const { name } of codes.filter(isSuite)) {
  test.serial(`${name}: the code of the README is a suite whose tests pass`, async (t) => {
    const file = `${name}.js`
    await writeFile(join(folder, 'ava.config.js'), `export default { files: ['${file}'] }`)
    const ava = [join(root, 'node_modules/ava/entrypoints/cli.mjs'), '--config', 'ava.config.js']
    t.regex(await run([...ava, file]), /[1-9] tests passed/)
  })
}

/** What Node prints that runs a program in the folder. */
async function run(program: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runToEnd(process.execPath, program, { cwd: folder, limit: timeLimit(60_000) })
  if (code !== 0) throw new Error(`${program.join(' ')} ended with code ${code}:\n${stdout}${stderr}`)
  return stdout
}

test('every package but the command, and that for pages, shows code in its README', (t) => {
  t.deepEqual(
    packageNames.filter((name) => readmeCode(name) === undefined),
    ['browser', 'cli']
  )
})
