/** `murmur advise` as a command. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { advise } from '@murmuration/experiment/advise'
import { computingOf } from '@murmuration/experiment/sim'
import test from 'ava'
import * as z from 'zod'
import { murmurInTurn, temporaryFolder } from './command.js'

const plan = z.object({
  kind: z.literal('plan'),
  place: z.number(),
  algorithm: z.string(),
  isGiven: z.boolean(),
  reached: z.array(z.number().nullable()),
  choice: z.object({ codec: z.string(), rate: z.number() })
})

test('it prints plans, the best first, and writes files that the other commands take', async (t) => {
  const folder = await temporaryFolder()
  // The measurements of three of four peers.
  const measured = ['a', 'b', 'c'].map((self, place) => {
    const pairs = ['a', 'b', 'c', 'd']
      .slice(place + 1)
      .map((other) => `{ between: [${self}, ${other}], latency: 20 ms }`)
    return `peers: { ${self}: { up: 1 Mbit/s }, d: { down: 1 Mbit/s } }\npairs: [${pairs.join(', ')}]\n`
  })
  await mkdir(join(folder, 'measured'))
  for (const [place, text] of measured.entries()) await writeFile(join(folder, 'measured', `${place}.yaml`), text)
  await writeFile(join(folder, 'topology.yaml'), 'graph: ring\npeers: [a, b, c, d]\n')
  await writeFile(join(folder, 'bare.yaml'), 'graph: ring\npeers: 4\n')
  const train = 'task: softmax\ndata: { digits: 100, size: 8 }\nbatch: 4\nrounds: 18\n'
  await writeFile(join(folder, 'train.yaml'), train)
  const given = ['--train', 'train.yaml', '--links', 'measured', '--computing', '{ perSample: 0.1 ms }']
  const [advised, bare, unknown, wrong, kept, taken] = await murmurInTurn(
    [
      ['advise', 'topology.yaml', ...given, '--json', '--out', 'advised'],
      ['advise', 'bare.yaml'],
      ['advise', 'bare.yaml', '--links', 'measured'],
      ['advise', 'topology.yaml', '--links', 'measured', '--computing', '{ perSampel: 1 ms }'],
      ['advise', 'topology.yaml', '--train', 'train.yaml', '--out', '.'],
      [
        'sim',
        join('advised', 'topology.yaml'),
        '--train',
        join('advised', 'train.yaml'),
        '--out',
        'simulated',
        '--json'
      ]
    ],
    folder,
    folder
  )
  t.is(advised.code, 0, advised.stderr)
  const lines = advised.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
  const plans = z.array(plan).parse(lines.slice(0, -1))
  t.deepEqual(
    plans.map(({ place }) => place),
    plans.map((_, place) => place + 1)
  )
  t.is(plans.filter(({ isGiven }) => isGiven).length, 1)
  t.like(lines.at(-1), {
    kind: 'summary',
    isWhole: true,
    assumed: [
      'no measurement of the uplink of d: assumed to have the slowest measured rate, 1 Mbit/s',
      'no measurement of the downlink of a, b, c: assumed to have the slowest measured rate, 1 Mbit/s'
    ]
  })
  const again = await advise(
    { topology: join(folder, 'topology.yaml'), train: join(folder, 'train.yaml') },
    {
      computing: computingOf('{ perSample: 0.1 ms }'),
      links: [join(folder, 'measured')],
      budget: 300,
      threads: 1,
      signal: new AbortController().signal
    }
  )
  const shown = again.plans.map(({ choice, reached }) => [choice.codec, choice.rate, ...reached])
  t.deepEqual(
    plans.map(({ choice, reached }) => [choice.codec, choice.rate, ...reached]),
    JSON.parse(JSON.stringify(shown)),
    'the same every time'
  )
  const text = await readFile(join(folder, 'advised', 'train.yaml'), 'utf8')
  t.true(text.includes(`codec: ${plans[0].choice.codec}`) || plans[0].isGiven)
  t.is(taken.code, 0, taken.stderr)
  t.regex(await readFile(join(folder, 'advised', 'topology.yaml'), 'utf8'), /^links: .*latency: 20 ms/m)
  t.is(bare.code, 2)
  t.regex(bare.stderr, /bare\.yaml: found no links; expected/)
  t.is(unknown.code, 2)
  t.regex(unknown.stderr, /0\.yaml:1:10: .*"a"/)
  t.is(kept.code, 2)
  t.regex(kept.stderr, /--out \.: the folder is not empty/)
  t.is(await readFile(join(folder, 'train.yaml'), 'utf8'), train, 'nothing is written over')
  t.is(wrong.code, 2)
  t.regex(wrong.stderr, /^murmur: --computing:1:3: found the key "perSampel".*did you mean "perSample"/m)
})
