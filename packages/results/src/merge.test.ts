import { InputError } from '@murmuration/core'
import test from 'ava'
import { runsOfSweep } from './files/order.js'
import { mergeResults } from './merge.js'
import type { Results, RunRecord, Setting, World } from './results.js'

const made = { command: 'npx murmur report a b', version: '0.1.0' }

interface Small {
  readonly axes?: Results['sweep']['axes']
  readonly labels?: readonly string[]
  readonly world?: World
  readonly facts?: Results['sweep']['facts']
  readonly targetLoss?: number
  readonly seeds?: readonly number[]
}

/** A run of each method in each setting and with each seed. */
function small({
  axes = {},
  labels = ['D-PSGD'],
  world = 'simulator',
  facts = {},
  targetLoss,
  seeds = [1]
}: Small = {}) {
  const settings = Object.entries(axes).reduce<Readonly<Record<string, Setting>>[]>(
    (until, [axis, values]) => until.flatMap((before) => values.map((value) => ({ ...before, [axis]: value }))),
    [{}]
  )
  const runs = settings.flatMap((setting) =>
    labels.flatMap((method) => seeds.map((seed) => run({ settings: setting, method, seed, world })))
  )
  const methods = labels.map((label) => ({
    label,
    description: `about ${label}`,
    form: { kind: label, fusion: 'fused', calls: 'streamed' } as const
  }))
  const sweep = {
    title: 'Small',
    description: '',
    scenario: 'text\n',
    command: 'c',
    version: '0',
    axes,
    methods,
    seeds,
    facts
  }
  return {
    sweep: { ...sweep, ...(targetLoss === undefined ? {} : { targetLoss }) },
    runs,
    timelines: []
  } satisfies Results
}

const run = (fields: Pick<RunRecord, 'settings' | 'method' | 'seed' | 'world'>): RunRecord => ({
  outcome: 'limit',
  peers: 2,
  seconds: 1,
  rounds: 1,
  secondsPerRound: 1,
  samples: 1,
  bytesSent: 1,
  curve: [],
  findings: [],
  ...fields
})

const labelsOf = ({ sweep }: Results) => sweep.methods.map(({ label }) => label)

test('methods of one name are told apart by their folders, and by their worlds where there are both; others keep theirs', (t) => {
  const one = small({ labels: ['D-PSGD', 'SGP'] })
  const other = small()
  const merged = mergeResults(
    [
      { name: 'a', results: one },
      { name: 'b', results: other }
    ],
    made
  )
  t.deepEqual(labelsOf(merged), ['D-PSGD · a', 'SGP', 'D-PSGD · b'])
  t.deepEqual(
    merged.runs.map(({ method }) => method),
    ['D-PSGD · a', 'SGP', 'D-PSGD · b']
  )
  t.deepEqual(
    merged.sweep.methods.map(({ originalLabel }) => originalLabel),
    ['D-PSGD', 'SGP', 'D-PSGD']
  )
  t.deepEqual(
    merged.sweep.methods.map(({ form }) => form?.kind),
    ['D-PSGD · a', 'SGP', 'D-PSGD · b']
  )
  const real = mergeResults(
    [
      { name: 'a', results: small({ world: 'libp2p' }) },
      { name: 'b', results: other }
    ],
    made
  )
  t.deepEqual(labelsOf(real), ['D-PSGD · a, real', 'D-PSGD · b, simulated'])
})

test('settings that all folders have are put side by side, and the others are left out', (t) => {
  const wide = small({ axes: { latency: [1, 5, 20], bandwidth: [1e6, 1e7] } })
  const narrow = small({ axes: { bandwidth: [1e7], latency: [5, 1] } })
  const { sweep, runs } = mergeResults(
    [
      { name: 'a', results: wide },
      { name: 'b', results: narrow }
    ],
    made
  )
  t.deepEqual(sweep.axes, { latency: [1, 5], bandwidth: [1e7] })
  t.is(runs.length, 4)
  t.is(runsOfSweep(sweep), 4)
  t.is(sweep.facts['settings shown'], 'those that all folders have')
})

test('what has one value in every folder is no axis: methods are told apart by their folders', (t) => {
  const slow = small({ axes: { latency: [20] } })
  const fast = small({ axes: { latency: [1] } })
  const { sweep, runs } = mergeResults(
    [
      { name: 'slow', results: slow },
      { name: 'fast', results: fast }
    ],
    made
  )
  t.deepEqual(sweep.axes, {})
  t.deepEqual(
    runs.map(({ method, settings }) => [method, settings]),
    [
      ['D-PSGD · slow', {}],
      ['D-PSGD · fast', {}]
    ]
  )
})

test('folders that vary different things are refused with their names', (t) => {
  const all = (...axes: Results['sweep']['axes'][]) =>
    axes.map((each, k) => ({ name: 'abc'[k], results: small({ axes: each }) }))
  const refused = (folders: ReturnType<typeof all>, message: string) =>
    t.throws(() => mergeResults(folders, made), { instanceOf: InputError, message })
  refused(
    all({ latency: [1, 5] }, {}, { latency: [1, 5] }),
    'a and c vary latency, but b does not: folders can be compared only if they vary the same axes'
  )
  refused(
    all({ latency: [1, 5] }, { latency: [2, 6] }),
    'the folders have no value of latency in common: a has 1, 5; b has 2, 6'
  )
})

test('facts and a target that all have stand once, those that differ by folder', (t) => {
  const one = small({ facts: { task: 'digits', network: 'as it is' }, targetLoss: 1, seeds: [1, 2] })
  const other = small({ facts: { task: 'digits', network: 'shared' }, targetLoss: 2, seeds: [2, 3] })
  const { sweep } = mergeResults(
    [
      { name: 'a', results: one },
      { name: 'b', results: other }
    ],
    made
  )
  t.deepEqual(sweep.facts, { 'task': 'digits', 'network, a': 'as it is', 'network, b': 'shared' })
  t.is(sweep.targetLoss, undefined)
  t.deepEqual(sweep.seeds, [1, 2, 3])
  t.is(runsOfSweep(sweep), 4, 'not three seeds of both')
})

test('what was put together can be put together again, with the folders that it came from', (t) => {
  const one = small({ world: 'libp2p' })
  const other = small()
  const first = mergeResults(
    [
      { name: 'a', results: one },
      { name: 'b', results: other }
    ],
    made
  )
  const again = mergeResults(
    [
      { name: 'ab', results: first },
      { name: 'c', results: small({ labels: ['SGP'] }) }
    ],
    made
  )
  t.deepEqual(labelsOf(again), ['D-PSGD · a, real', 'D-PSGD · b, simulated', 'SGP'])
  t.deepEqual(
    again.sweep.sources?.map(({ name }) => name),
    ['a', 'b', 'c']
  )
  t.is(again.sweep.methods[0].originalLabel, 'D-PSGD')
})
