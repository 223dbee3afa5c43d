/**
 * Mistakes of people who use the command for the first time: each answer says what was found, what was expected, and
 * how to fix it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { timeLimit } from '@murmuration/contract'
import { messageOf } from '@murmuration/core'
import test from 'ava'
import { type CommandResult, murmurInTurn, temporaryFolder } from './command.js'
import { root } from '../repository.js'

const files: Readonly<Record<string, string>> = {
  'topology.yaml': 'graph: ring\npeers: 4\n',
  'train.yaml': 'task: softmax\nrounds: 5\n',
  'study.yaml': 'title: Mine\ntopology: topology.yaml\nmethods: [{ algorithm: dpsgd }]\n',
  'results/kept.txt': ''
}

const mistakes: readonly (readonly [command: string, answer: RegExp])[] = [
  ['swarm', /missing required argument 'topology'[\s\S]*"murmur COMMAND --help"/],
  ['swarm topology.yaml train.yaml', /too many arguments[\s\S]*A training file goes after --train/],
  ['swarm topolgy.yaml', /topolgy\.yaml: found no such file or sample; .*did you mean "topology\.yaml"/],
  ['swarm train.yaml', /train\.yaml: found a training file, expected a topology file; .*TOPOLOGY --train train\.yaml/],
  ['swarm topology.yaml --train topology.yaml', /found a topology file, expected a training file/],
  [
    'swarm study.yaml',
    /study\.yaml: found a scenario, expected a topology file; use it as in "murmur sim study\.yaml"/
  ],
  ['swarm topology.yaml --method D-PSGD', /topology\.yaml: found a topology file, expected a scenario/],
  [
    'sim topology.yaml',
    /found a topology file, expected a scenario; use it as in .* or "murmur sim topology\.yaml --train FILE"/
  ],
  ['sim train.yaml', /found a training file, expected a scenario/],
  ['topology results', /results: found a folder, expected a file/],
  [
    'sim topology.yaml --task sofmax',
    /--task sofmax: found no such file, expected one of mlp.* module; did you mean "softmax"/
  ],
  [
    'sim topology.yaml --data minst',
    /--data minst: found no such file or folder, expected one of digits.*did you mean "mnist"/
  ],
  ['sim topology.yaml --train train.yaml --out train.yaml', /--out train\.yaml: train\.yaml is a file; name a folder/],
  [
    'sim topology.yaml --train train.yaml --out train.yaml/sub',
    /--out train\.yaml\/sub: train\.yaml is a file; name a folder/
  ],
  ['peer topology.yaml --as a --via', /--via without an address means the seeds, and there are none: give/],
  ['peer topology.yaml --as a --via --via /ip4/10.0.0.1/tcp/1', /--as a: topology\.yaml has no such peer/],
  [
    'peer topology.yaml --as a --seed 10.0.0.1:4001',
    /'--seed <address>' argument '10\.0\.0\.1:4001' is invalid\. expected a multiaddr/
  ],
  ['report nowhere', /nowhere: no such folder; expected a folder that "murmur sim"/],
  ['report train.yaml', /train\.yaml: found a file; expected a folder/],
  ['report results', /results: found no sweep\.json in it; expected a folder/]
]

let given: Promise<ReadonlyMap<string, CommandResult>> | undefined

/** The answers of the commands. They write nothing, so that all can use the same folder. */
async function answers(): Promise<ReadonlyMap<string, CommandResult>> {
  const cwd = await temporaryFolder()
  await mkdir(join(cwd, 'results'))
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text)
  const commands = mistakes.map(([command]) => command)
  const results = await murmurInTurn(
    commands.map((command) => command.split(' ')),
    cwd,
    cwd
  )
  return new Map(commands.map((command, place) => [command, results[place]]))
}

for (const [command, answer] of mistakes) {
  test(`“murmur ${command}” is answered with code 2 and what to do`, async (t) => {
    t.timeout(timeLimit(100_000))
    const { code, stderr } = (await (given ??= answers())).get(command) as CommandResult
    t.is(code, 2, stderr)
    t.regex(stderr, answer)
    t.notRegex(stderr, /\n {4}at |undefined|\[object/)
  })
}

test('on a terminal, too, a mistyped file name ends the command at once', async (t) => {
  t.timeout(timeLimit(60_000))
  const command = `${process.execPath} ${join(root, 'packages/cli/dist/main.js')} swarm nosuch.yaml`
  const run = spawn('script', ['-qec', command, '/dev/null'], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => run.kill('SIGKILL'))
  const [code] = await once(run, 'exit').catch((error: unknown) => [messageOf(error)])
  if (typeof code === 'string') return t.log(`skipped, since no terminal can be had: ${code}`)
  t.is(code, 2)
})
