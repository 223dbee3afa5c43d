import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError, OutputError } from '@murmuration/core'
import test from 'ava'
import { type Results, readResults, ResultsWriter } from '@murmuration/results'
import { realRun, smallResults, smallRun } from './small-sweep.test.support.js'
import { writeReport } from './write-report.js'

async function inFolder<T>(body: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-report-'))
  try {
    return await body(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function writeResults(folder: string, results: Results): Promise<void> {
  const writer = await ResultsWriter.open(folder, results.sweep)
  const [timeline] = results.timelines
  results.runs.forEach((run, k) => writer.add(run, k === 0 ? timeline : undefined))
  await writer.close()
  await writeReport(folder, results)
}

const results: Results = {
  ...smallResults({
    axes: { bandwidth: [1e6, Infinity], topology: ['ring', 'a "torus", 3 × 3\nor so'] },
    methods: ['a', 'b, fused'],
    times: (method) => (method === 'a' ? [10, undefined] : [20, 21.5])
  }),
  timelines: [
    {
      settings: { bandwidth: Infinity, topology: 'ring' },
      method: 'a',
      seed: 1,
      from: 0,
      to: 1,
      peers: ['p0', 'p1'],
      spans: [{ peer: 'p0', kind: 'gradient', start: 0, end: 0.5 }],
      messages: [{ from: 'p0', to: 'p1', sent: 0, arrived: 0.5, bytes: 10, fate: 'dropped' }]
    }
  ]
}

test('what was written is read again, also infinite bandwidth and losses that are no numbers', async (t) => {
  const [first, ...others] = results.runs
  const diverged = { ...first.curve[1], loss: NaN, worstLoss: NaN, accuracy: 0.1 }
  const all = { ...results, runs: [{ ...first, curve: [first.curve[0], diverged] }, ...others] }
  await inFolder(async (folder) => {
    await writeResults(folder, all)
    t.deepEqual(await readResults(folder), all)
  })
})

test('a real run is read as it was written, without what it cannot know', async (t) => {
  await inFolder(async (folder) => {
    const { sweep } = smallResults({ methods: ['a'], times: () => [10] })
    const epochs = [{ epoch: 1, round: 6, seconds: 7.5, members: ['p1'], lost: ['p0'], joined: [] }]
    const real = { sweep, runs: [realRun({ epochs })], timelines: [] }
    await writeResults(folder, real)
    t.deepEqual(await readResults(folder), real)
    const [head, row] = (await readFile(join(folder, 'summary.csv'), 'utf8')).split('\n').map((line) => line.split(','))
    t.is(row[head.indexOf('world')], 'libp2p')
    t.is(row[head.indexOf('time.waiting')], '')
    t.is(row[head.indexOf('logHash')], '')
    t.is(row[head.indexOf('epochs')], '1')
  })
})

test('summary.csv has a line per run and curves.csv a line per point, with what is between commas in quotes', async (t) => {
  await inFolder(async (folder) => {
    const run = smallRun(10, { settings: { topology: 'a "torus", 3 × 3' }, findings: ['x', 'y'] })
    const sweep = { ...results.sweep, axes: { topology: ['a "torus", 3 × 3'] } }
    await writeResults(folder, { sweep, runs: [run], timelines: [] })
    t.is(
      await readFile(join(folder, 'summary.csv'), 'utf8'),
      'settings.topology,method,seed,world,peer,outcome,reason,peers,seconds,rounds,secondsPerRound,samples,toTarget.seconds,toTarget.samples,' +
        'toTarget.bytes,bytesSent,payloadSent,messages,busiest.name,busiest.bytes,time.working,time.sending,time.waiting,final.loss,' +
        'final.accuracy,final.perplexity,final.measures,final.worstLoss,final.consensusDistance,final.gap,keys.local,keys.remote,keys.queued,keys.moved,keys.copied,store.sets,store.secondsPerSet,' +
        'store.overwritten,learnedNothing,ended,lost,epochs,findings,logHash,realSeconds\n' +
        '"a ""torus"", 3 × 3",a,1,simulator,,target,,2,10,10,1,200,10,200,1000,1000,800,20,p0,600,0.5,0.25,0.25,0.5,,,,,0.1,,,,,,,,,,,,,,x; y,hash of 10,0.5\n'
    )
    t.is(
      await readFile(join(folder, 'curves.csv'), 'utf8'),
      'settings.topology,method,seed,seconds,samples,bytes,round,loss,accuracy,perplexity,worstLoss,consensusDistance,gap\n' +
        '"a ""torus"", 3 × 3",a,1,0,0,0,0,2,,,,0,\n' +
        '"a ""torus"", 3 × 3",a,1,10,200,1000,10,0.5,,,,0.1,\n'
    )
  })
})

/** Writes results, damages one file, and reads them. */
async function afterDamage(file: string, damage: (text: string) => string): Promise<Error | undefined> {
  return await inFolder(async (folder) => {
    await writeResults(folder, results)
    const path = join(folder, file)
    await writeFile(path, damage(await readFile(path, 'utf8')))
    const error = await readResults(folder).then(
      () => undefined,
      (thrown: Error) => thrown
    )
    if (error !== undefined) error.message = error.message.replace(folder, 'out')
    return error
  })
}

const line = (text: string, number: number, change: (line: string) => string) =>
  text
    .split('\n')
    .map((each, k) => (k + 1 === number ? change(each) : each))
    .join('\n')

const older =
  'an older version of Murmuration wrote this file; run the command in it again, or open the report.html next to it'

const damages: readonly (readonly [what: string, file: string, damage: (text: string) => string, message: string])[] = [
  [
    'a number that became a text',
    'runs.jsonl',
    (text) => line(text, 3, (each) => each.replace('"peers":2', '"peers":"two"')),
    'out/runs.jsonl:3: peers: found "two": Invalid input: expected number, received string'
  ],
  [
    'an unknown method',
    'runs.jsonl',
    (text) => line(text, 2, (each) => each.replace('"method":"a"', '"method":"z"')),
    'out/runs.jsonl:2: found the method “z”, expected one of sweep.json'
  ],
  [
    'a setting that is on no axis',
    'runs.jsonl',
    (text) => line(text, 1, (each) => each.replace('"bandwidth":1000000', '"bandwidth":7')),
    'out/runs.jsonl:1: found bandwidth 7, expected one of 1000000, Infinity'
  ],
  [
    'an epoch whose members are no list',
    'runs.jsonl',
    (text) =>
      line(text, 1, (each) => each.replace('{', '{"epochs":[{"epoch":1,"round":6,"seconds":2,"members":"p1"}],')),
    'out/runs.jsonl:1: epochs.0.members: found "p1": Invalid input: expected array, received string'
  ],
  [
    'an axis without values',
    'sweep.json',
    (text) => text.replace(/"topology": \[[^\]]*\]/, '"topology": []'),
    'out/sweep.json:13: axes.topology: found []: Too small: expected array to have >=1 items'
  ],
  [
    'a format that is newer',
    'sweep.json',
    (text) => text.replace(/"format": \d+/, '"format": 99'),
    'out/sweep.json:2: format: found 99: expected 2: a newer version of Murmuration wrote this file; use its "murmur report"'
  ],
  [
    'a format that is older, in which fields have other names',
    'sweep.json',
    (text) => text.replace(/"format": \d+/, '"format": 1').replace('"methods"', '"competitors"'),
    `out/sweep.json:2: format: found 1: expected 2: ${older}`
  ],
  [
    'no format, as in the first folders of all',
    'sweep.json',
    (text) => text.replace(/ *"format": \d+,\n/, '').replace('"methods"', '"competitors"'),
    `out/sweep.json:1: format: found nothing: expected 2: ${older}`
  ],
  [
    'a message with a fate of its own',
    'timelines.jsonl',
    (text) => text.replace('"dropped"', '"lost"'),
    'out/timelines.jsonl:1: messages.0.fate: found "lost": Invalid option: expected one of "delivered"|"dropped"'
  ]
]

for (const [what, file, damage, message] of damages) {
  test(`damage is found with its file and line: ${what}`, async (t) => {
    const error = await afterDamage(file, damage)
    t.true(error instanceof InputError)
    t.is(error?.message, message)
  })
}

test('a line that ends in the middle is found, and so is a file', async (t) => {
  const error = await afterDamage('runs.jsonl', (text) => line(text, 2, (each) => each.slice(0, -20)))
  t.regex(error?.message ?? '', /^out\/runs\.jsonl:2: found invalid JSON/)
  const whole = await afterDamage('sweep.json', (text) => text.slice(0, text.indexOf('"seeds"')))
  t.regex(whole?.message ?? '', /^out\/sweep\.json:\d+: found invalid JSON/)
})

test('what a writer that was stopped has written is read, in the order of the scenario, but for a line without an end', async (t) => {
  await inFolder(async (folder) => {
    const writer = await ResultsWriter.open(folder, results.sweep)
    for (const run of [...results.runs].reverse()) writer.add(run)
    const file = join(folder, 'runs.jsonl')
    t.deepEqual((await readResults(folder)).runs, results.runs, 'before the files are closed')
    await writeFile(file, (await readFile(file, 'utf8')).slice(0, -20))
    t.deepEqual((await readResults(folder)).runs, results.runs.slice(1))
    await writeFile(file, '{"half')
    await t.throwsAsync(readResults(folder), { instanceOf: InputError, message: /runs\.jsonl: found no finished run/ })
  })
})

test('a writer without a run leaves nothing', async (t) => {
  await inFolder(async (folder) => {
    await (await ResultsWriter.open(folder, results.sweep)).close()
    t.deepEqual(await readdir(folder), [])
  })
})

test('a missing directory is an InputError with its name', async (t) => {
  await t.throwsAsync(readResults('/nowhere/at/all'), {
    instanceOf: InputError,
    message: /^\/nowhere\/at\/all\/sweep\.json: cannot read the file/
  })
  await t.throwsAsync(writeResults('/dev/null/out', results), {
    instanceOf: OutputError,
    message: /^\/dev\/null\/out: cannot write the results there/
  })
})
