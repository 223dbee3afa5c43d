import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { murmur, murmurInTurn, temporaryFolder } from './command.js'

/** The last line of standard output. */
function lastOf(stdout: string): unknown {
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
}

test("a swarm whose user's module throws ends with exit code 2 and an error event that name module and line", async (t) => {
  const folder = await temporaryFolder()
  const module = join(folder, 'model.mjs')
  await writeFile(module, 'export function createModel() {\n  throw new Error("boom")\n}')
  const args = ['swarm', 'topologies/ring-4.yaml', '--task', module, '--json']
  const { code, stdout, stderr } = await murmur(args, await temporaryFolder()).result
  t.is(code, 2)
  t.true(stderr.includes(`createModel of the model's module ${module}:2 fails: boom`), stderr)
  t.like(lastOf(stdout), { kind: 'error', code: 2, name: 'InputError' })
})

const failing = [
  ['swarm', 'absent.yaml'],
  ['sim', 'absent.yaml'],
  ['topology', 'absent.yaml'],
  ['peer', 'absent.yaml', '--as', 'a', '--bogus']
]

test('with --json the last line of a command that fails is an error event', async (t) => {
  const commands = failing.map((command) => [...command, '--json'])
  for (const [place, { code, stdout }] of (await murmurInTurn(commands, await temporaryFolder())).entries()) {
    t.is(code, 2, failing[place].join(' '))
    t.like(lastOf(stdout), { kind: 'error', code: 2 }, failing[place].join(' '))
  }
})

test('a Node that is too old is reported in one line', async (t) => {
  for (const version of ['16.20.2', '20.18.0', '21.7.0', '22.11.0', '23.11.0']) {
    const pretend = `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(pretend)}` }
    const { code, stdout, stderr } = await murmur(['--version'], await temporaryFolder(), 90_000, { env }).result
    t.deepEqual([code, stdout], [2, ''])
    t.regex(stderr, new RegExp(`^murmur: this is Node ${version}; 20\\.19 or later, .*\\n$`))
  }
})
