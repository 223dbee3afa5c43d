import { InputError } from '@murmuration/core'
import test from 'ava'
import type { NamedResults } from './merge.js'
import { mergeParts, ofPart, runsExpected } from './parts.js'
import type { RunRecord, Sweep } from './results.js'

const methods = ['D-PSGD', 'SGP', 'AD-PSGD'].map((label) => ({ label, description: '' }))
const sweep: Sweep = {
  title: 'Small',
  description: '',
  scenario: 'text',
  command: 'c',
  version: '0',
  facts: {},
  axes: { latency: [1, 20] },
  methods,
  seeds: [1, 2]
}
const runs = [1, 20].flatMap((latency) =>
  methods.flatMap(({ label }) =>
    [1, 2].map((seed): RunRecord => ({
      world: 'simulator',
      settings: { latency },
      method: label,
      seed,
      outcome: 'limit',
      findings: [],
      curve: [],
      peers: 2,
      seconds: 1,
      rounds: 1,
      secondsPerRound: 1,
      samples: 1,
      bytesSent: 1
    }))
  )
)

const part = (number: number, of: number, changes: Partial<Sweep> = {}): NamedResults => ({
  name: `job-${number}`,
  results: { sweep: { ...sweep, part: { number, of }, ...changes }, runs: ofPart(runs, { number, of }), timelines: [] }
})

test('the parts of a sweep are disjoint, make it up, and come together in the order of the scenario', (t) => {
  for (const count of [1, 2, 5, 12]) {
    const parts = Array.from({ length: count }, (_, place) => part(place + 1, count))
    for (const { results } of parts) t.is(results.runs.length, runsExpected(results.sweep), `${count} parts`)
    t.deepEqual(mergeParts(parts.toReversed()), { results: { sweep, runs, timelines: [] }, missing: [] })
  }
})

test('parts that are missing are named', (t) => {
  const { results, missing } = mergeParts([part(4, 5), part(2, 5)])
  t.deepEqual(missing, [1, 3, 5])
  t.is(results.runs.length, 5)
})

test('what are no parts of one sweep is refused', (t) => {
  const refused = (folders: readonly NamedResults[], message: string) =>
    t.throws(() => mergeParts(folders), { instanceOf: InputError, message })
  refused([part(1, 2), { ...part(1, 2), name: 'again' }], 'part 1/2 is in job-1 and in again: name it once')
  refused([part(1, 2), part(2, 3)], 'job-1 and job-2 are parts of different sweeps: they differ in part')
  refused(
    [part(1, 2), part(2, 2, { scenario: 'other', version: '9' })],
    'job-1 and job-2 are parts of different sweeps: they differ in scenario, version'
  )
  const alone = { name: 'alone', results: { sweep, runs, timelines: [] } }
  refused(
    [part(1, 2), alone],
    'alone is not part of a sweep, but other folders are: join the parts first, without other folders'
  )
})
