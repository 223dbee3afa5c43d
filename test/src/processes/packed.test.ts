/**
 * What people get when they install the packages: all of them, packed, in an empty project, with npm and the registry.
 */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { timeLimit } from '@murmuration/contract'
import anyTest, { type ExecutionContext } from 'ava'
import { temporaryFolder } from './command.js'
import { packageNames, pack, readmeCode } from './packages.js'
import { root, tsc } from '../repository.js'
import { runToEnd } from './run-to-end.js'

const test = process.platform === 'win32' ? anyTest.skip : anyTest

/** What npm says when the registry cannot be reached. */
const offline =
  /E(NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|HOSTUNREACH|NOTCACHED)|ERR_SOCKET_TIMEOUT/

interface PackageFile {
  readonly devDependencies: Readonly<Record<string, string>>
}

/**
 * A new project with all packages installed; nothing when the registry, which has their dependencies, cannot be
 * reached.
 */
async function install(t: ExecutionContext): Promise<string | undefined> {
  const folder = await temporaryFolder()
  const archives = pack(folder, packageNames)
  const project = join(folder, 'project')
  await mkdir(project)
  const dependencies = Object.fromEntries(archives.map(({ name, file }) => [`@murmuration/${name}`, `file:${file}`]))
  // The test suites in contract run under the user's ava.
  const { ava } = (JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as PackageFile).devDependencies
  const devDependencies = { ava }
  const manifest = { private: true, type: 'module', dependencies, devDependencies }
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest))
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries=0', '--fetch-timeout=30000']
  const { code, stderr } = await runToEnd('npm', args, { cwd: project, limit: 300_000 })
  if (code === 0) return project
  if (code !== undefined && !offline.test(stderr)) throw new Error(`npm install failed:\n${stderr}`)
  t.log('not tested: the registry with the dependencies of the packages cannot be reached')
  return undefined
}

test('the packages install into an empty project, compile under strict settings, and run from there', async (t) => {
  const project = await install(t)
  if (project !== undefined) {
    await compileExamples(project)
    await runCommands(t, project)
  }
  t.pass()
})

/** Compiles the code of all READMEs and the example of an application, with the DOM's types and without. */
async function compileExamples(project: string): Promise<void> {
  await mkdir(join(project, 'src'))
  await copyFile(join(root, 'examples/embed/src/main.ts'), join(project, 'src/embed.ts'))
  for (const name of packageNames) await writeFile(join(project, `src/${name}.ts`), readmeCode(name) ?? 'export {}')
  const all = ['src']
  // Declarations of libp2p and TensorFlow.js need the DOM's types, so that these packages are not checked without them.
  const pure = [
    'core',
    'random',
    'vectors',
    'topology',
    'wire',
    'engine',
    'rows',
    'algorithms',
    'data',
    'tasks',
    'simulator',
    'files'
  ]
  await compile(project, { lib: ['ES2023', 'DOM'], skipLibCheck: true }, all)
  await compile(project, { lib: ['ES2023'], skipLibCheck: true }, all)
  await compile(
    project,
    { lib: ['ES2023'], skipLibCheck: false },
    pure.map((name) => `src/${name}.ts`)
  )
}

async function compile(project: string, options: object, include: readonly string[]): Promise<void> {
  const compilerOptions = {
    target: 'ES2023',
    module: 'NodeNext',
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    noEmit: true,
    ...options
  }
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }))
  const args = [tsc, '--project', project]
  const { code, stdout } = await runToEnd(process.execPath, args, { cwd: project, limit: timeLimit(180_000) })
  if (code !== 0) throw new Error(`tsc with ${JSON.stringify(options)} found:\n${stdout}`)
}

/** A new user's first commands, in an empty folder of the project. */
async function runCommands(t: ExecutionContext, project: string): Promise<void> {
  const cwd = join(project, 'empty')
  await mkdir(cwd)
  const run = async (program: string, ...args: string[]) => {
    const given = { cwd, limit: timeLimit(120_000), env: { MURMURATION_HOME: cwd } }
    const { code, stdout, stderr } = await runToEnd(program, args, given)
    t.is(code, 0, `${program} ${args.join(' ')}:\n${stdout}\n${stderr}`)
    return stdout
  }
  // What npx starts, without npx.
  const murmur = (...args: string[]) => run(join(project, 'node_modules/.bin/murmur'), ...args)
  t.regex(
    await run('npx', '--no', 'murmur', 'init', '--peers', '2', '--task', 'softmax'),
    /^ {2}npx murmur swarm topology\.yaml --train train\.yaml$/m
  )
  const train = await readFile(join(cwd, 'train.yaml'), 'utf8')
  const [, schema] = /^# yaml-language-server: \$schema=(.*)$/m.exec(train) ?? []
  t.regex(await readFile(join(cwd, schema), 'utf8'), /"rounds"/)
  await writeFile(join(cwd, 'train.yaml'), train.replace('rounds: 400', 'rounds: 10'))
  const files = ['topology.yaml', '--train', 'train.yaml']
  t.regex(await murmur('swarm', ...files, '--no-baseline', '--out', 'trained'), /accuracy of the mean model/)
  await murmur('sim', ...files, '--threads', '1', '--out', 'simulated')
  t.regex(await murmur('report', 'trained', 'simulated'), /report\.html/)
  t.regex(await murmur('topology', 'ring-4'), /spectral gap/)
}
