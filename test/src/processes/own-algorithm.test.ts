/** A user's own algorithm, outside the repository, with its own copies of the packages. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { timeLimit } from '@murmuration/contract'
import anyTest from 'ava'
import { murmur, murmurInTurn, recordsOf, temporaryFolder } from './command.js'
import { root } from '../repository.js'

const test = anyTest.serial

/** The example in a folder of its own. Its module has other copies of the packages than the command. */
async function outside(): Promise<string> {
  const outer = await temporaryFolder()
  symlinkSync(join(root, 'node_modules'), join(outer, 'node_modules'))
  const folder = join(outer, 'own')
  cpSync(join(root, 'examples/own-algorithm'), folder, { recursive: true })
  const copies = join(folder, 'node_modules/@murmuration')
  mkdirSync(copies, { recursive: true })
  for (const name of ['algorithms', 'engine', 'rows', 'core', 'random', 'vectors', 'wire']) {
    cpSync(join(root, 'packages', name, 'dist'), join(copies, name, 'dist'), { recursive: true })
    cpSync(join(root, 'packages', name, 'package.json'), join(copies, name, 'package.json'))
  }
  return folder
}

const swarm = ['swarm', 'topology.yaml', '--no-baseline', '--json']

test('an algorithm outside the repository trains three real peers, and its options are reported', async (t) => {
  const folder = await outside()
  const result = await murmur([...swarm, '--train', 'train.yaml'], folder, undefined, { cwd: folder }).result
  t.is(result.code, 0, result.stderr)
  const records = recordsOf(result)
  t.regex(String(records.find(({ kind }) => kind === 'start')?.algorithm), /^Lazy gossip, towards 0\.8, batch 16/)
  t.true((records.at(-1)?.accuracyOfMean as number) > 0.5)
})

test('it is simulated next to others, labelled by its options, and preserves the mean as it promises; --algorithm takes its path', async (t) => {
  const folder = await outside()
  const short = 'task: softmax\ndata: { digits: 200 }\nrounds: 3\nconsensusTolerance: 0.5\n'
  writeFileSync(join(folder, 'short.yaml'), short)
  const alone = ['--threads', '1', '--json']
  const files = ['topology.yaml', '--train', 'short.yaml', '--out', 'short']
  const [result, byPath] = await murmurInTurn(
    [
      ['sim', 'scenario.yaml', ...alone],
      ['sim', ...files, '--algorithm', './mine.js', ...alone]
    ],
    folder,
    folder
  )
  t.is(result.code, 0, result.stderr)
  const runs = recordsOf(result).filter(({ kind }) => kind === 'run')
  t.deepEqual([...new Set(runs.map(({ method }) => method))].sort(), [
    'D-PSGD',
    'Lazy gossip (period 8)',
    'Lazy gossip (towards 0.8)'
  ])
  for (const { findings } of runs) t.deepEqual(findings, [])
  t.is(byPath.code, 0, byPath.stderr)
  t.is(recordsOf(byPath).find(({ kind }) => kind === 'run')?.method, 'Lazy gossip')
})

const wrong: readonly (readonly [string, (folder: string) => void, RegExp])[] = [
  [
    'an option that it does not have has line, column and the word that was meant',
    (folder) => replace(folder, 'train.yaml', 'towards', 'towrads'),
    /train\.yaml:5:\d+: algorithm: found the key "towrads", .*did you mean "towards"/
  ],
  [
    'a value that its schema refuses has line and column',
    (folder) => replace(folder, 'train.yaml', '0.8', '8'),
    /train\.yaml:5:\d+: algorithm\.towards: found 8, expected at most 1/
  ],
  [
    'a module that is not there is named',
    (folder) => replace(folder, 'train.yaml', 'mine.js', 'none.js'),
    /cannot load the algorithm's module \S+none\.js/
  ],
  [
    'a module without an algorithm is named',
    (folder) => writeFileSync(join(folder, 'mine.js'), 'export const mine = 1'),
    /mine\.js: found 0 algorithms, expected one that is exported/
  ],
  [
    'an error in its round is named with the line',
    (folder) => replace(folder, 'mine.js', 'const half =', 'const half = nothing +'),
    /round of the algorithm's module \S+mine\.js:29 fails: nothing is not defined/
  ],
  [
    'what it needs and the topology does not have is refused',
    (folder) => {
      const weights = 'rows: [[0.5, 0.5, 0], [0.25, 0.5, 0.25], [0, 0.5, 0.5]]'
      writeFileSync(join(folder, 'topology.yaml'), `graph: { kind: matrix, ${weights} }\npeers: [ann, bob, cat]\n`)
    },
    /topology\.yaml: Lazy gossip needs a mixing matrix whose columns sum to 1, and found ann \(0\.75\)/
  ]
]

test('its errors are reported; exit code 2', async (t) => {
  t.timeout(timeLimit(100_000))
  const folders = await Promise.all(wrong.map(outside))
  for (const [place, [, corrupt]] of wrong.entries()) corrupt(folders[place])
  const commands = folders.map((folder) => {
    const files = [join(folder, 'topology.yaml'), '--train', join(folder, 'train.yaml')]
    return ['swarm', ...files, '--no-baseline', '--json']
  })
  for (const [place, { code, stderr }] of (await murmurInTurn(commands, folders[0])).entries()) {
    const [title, , message] = wrong[place]
    t.is(code, 2, `${title}: ${stderr}`)
    t.regex(stderr, message, title)
  }
})

function replace(folder: string, file: string, text: string, by: string): void {
  const path = join(folder, file)
  writeFileSync(path, readFileSync(path, 'utf8').replace(text, by))
}
