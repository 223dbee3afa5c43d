/** What people get when they install the packages. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { murmur, temporaryFolder } from './command.js'
import { pack } from './packages.js'
import { root } from '../repository.js'

/** The files that an entry of `exports` names, for each condition. */
function filesOf(entry: unknown): string[] {
  if (typeof entry === 'string') return [entry]
  return typeof entry === 'object' && entry !== null ? Object.values(entry).flatMap(filesOf) : []
}

test('every package has what its exports and commands name', (t) => {
  for (const name of readdirSync(`${root}packages`)) {
    const text = readFileSync(`${root}packages/${name}/package.json`, 'utf8')
    const { exports, bin } = JSON.parse(text) as { readonly exports?: unknown; readonly bin?: unknown }
    for (const file of [...filesOf(exports), ...filesOf(bin)])
      // Of a pattern, the folder.
      t.true(existsSync(join(root, 'packages', name, file.split('*')[0])), `${name}: ${file}`)
  }
})

/** The package of the command as it is published, in an empty folder; its dependencies are those of the repository. */
async function installed(): Promise<string> {
  const folder = await temporaryFolder()
  const [{ file }] = pack(folder, ['cli'])
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const target = join(folder, 'empty/node_modules/@murmuration')
  mkdirSync(target, { recursive: true })
  execFileSync('tar', ['-xzf', file, '-C', target])
  execFileSync('mv', [join(target, 'package'), join(target, 'cli')])
  const own = join(root, 'packages/cli/node_modules')
  if (existsSync(own)) symlinkSync(own, join(target, 'cli/node_modules'))
  return join(folder, 'empty')
}

const posixTest = process.platform === 'win32' ? test.skip : test

posixTest(
  'samples come with the package: in an empty folder the default scenario runs, and topologies have short names',
  async (t) => {
    const cwd = await installed()
    const surroundings = { cwd, bin: join(cwd, 'node_modules/@murmuration/cli/bin/murmur.js') }
    const sim = murmur(['sim'], cwd, undefined, surroundings)
    await sim.saying('Slow links: ')
    sim.process.kill('SIGINT')
    t.is((await sim.result).code, 130)
    for (const name of ['ring-4', 'ring-4.yaml', 'topologies/ring-4.yaml']) {
      const topology = await murmur(['topology', name], cwd, undefined, surroundings).result
      t.is(topology.code, 0, topology.stderr)
    }
    const none = await murmur(['topology', 'rnig-4'], cwd, undefined, surroundings).result
    t.is(none.code, 2)
    t.regex(none.stderr, /rnig-4: found no such file or sample; the samples are .*topologies\/ring-4\.yaml/)
  }
)
