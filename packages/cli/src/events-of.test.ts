import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventsFile, eventsFolder, mergeResults, type Results } from '@murmuration/results'
import test from 'ava'
import { withEvents } from './events-of.js'

/** A folder with the lines of a log. */
async function folderWith(peer: string, lines: readonly object[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-events-'))
  await mkdir(join(folder, eventsFolder))
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  await writeFile(join(folder, eventsFolder, eventsFile(peer, 1)), text)
  return folder
}

/** A folder with the log of a peer that computed for one second in the given hour of the day. */
async function folderOf(hour: number): Promise<string> {
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, hour, 0, seconds)).toISOString()
  const head = { kind: 'log', peer: 'a', run: `${hour}`, pid: 1, machine: 'x', part: 1 }
  const lines = [
    { t: 0, at: at(0), ...head },
    { t: 1000, at: at(1), kind: 'span', what: 'gradient', start: 0 }
  ]
  return folderWith('a', lines)
}

const resultsOf = (label: string, seed: number): Results => ({
  sweep: {
    title: 'x',
    description: '',
    scenario: '',
    command: 'x',
    version: '1',
    axes: {},
    facts: {},
    methods: [{ label, description: '' }],
    seeds: [seed]
  },
  runs: [],
  timelines: []
})

test('of several folders each timeline has the method and the seed of its own run', async (t) => {
  const folders = [
    { name: 'one', path: await folderOf(2), results: resultsOf('D-PSGD', 1) },
    { name: 'two', path: await folderOf(1), results: resultsOf('Gossip-PGA', 7) }
  ]
  const merged = mergeResults(folders, { command: 'x', version: '1' })
  const { timelines } = await withEvents(merged, folders)
  t.deepEqual(
    timelines.map(({ title, method, seed }) => [title, method, seed]),
    [
      ['run 1, Gossip-PGA: the whole run', 'Gossip-PGA', 7],
      ['run 2, D-PSGD: the whole run', 'D-PSGD', 1]
    ]
  )
})

test('a peer whose clock is hours ahead is in the timeline of its run, and the correction is named', async (t) => {
  const log = (peer: string, other: string, ahead: number) => {
    const stamp = (t: number) => ({ t, at: new Date(Date.UTC(2026, 0, 1, 12 + ahead) + t).toISOString() })
    return folderWith(peer, [
      { ...stamp(0), kind: 'log', peer, run: 'x', pid: 1, machine: peer, part: 1 },
      { ...stamp(10), kind: 'span', what: 'gradient', start: 1 },
      { ...stamp(10), kind: 'sent', to: other, id: '1.0.0.0', bytes: 8 },
      { ...stamp(15), kind: 'taken', from: other, id: '1.0.0.0' },
      { ...stamp(20), kind: 'end' }
    ])
  }
  const folders = [
    { name: 'one', path: await log('a', 'b', 0), results: resultsOf('D-PSGD', 1) },
    { name: 'two', path: await log('b', 'a', 5), results: resultsOf('D-PSGD', 1) }
  ]
  const { timelines } = await withEvents(mergeResults(folders, { command: 'x', version: '1' }), folders)
  t.deepEqual(
    timelines.map(({ title, peers, clocks }) => [title, peers, clocks]),
    [['the whole run', ['a', 'b'], 'Clocks were corrected by messages in both directions: b by -5 h (± 5 ms)']]
  )
})
