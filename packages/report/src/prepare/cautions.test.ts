import { mergeResults, type Results, type RunRecord } from '@murmuration/results'
import test from 'ava'
import { realRun, smallResults } from '../small-sweep.test.support.js'
import { cautionSentences } from './cautions.js'
import { findingSentences } from './finding.js'
import { pageData } from './page-data.js'

function real(...runs: readonly Partial<RunRecord>[]): Results {
  const { targetLoss: _, ...sweep } = smallResults({ methods: ['D-PSGD'], times: () => [] }).sweep
  return { sweep, runs: runs.map((run) => realRun({ method: 'D-PSGD', ...run })), timelines: [] }
}

const merged = (...all: readonly Results[]) =>
  mergeResults(
    all.map((results, place) => ({ name: `folder-${place + 1}`, results })),
    { command: 'c', version: '0' }
  )

test('nothing is said of runs that came to their ends', (t) => {
  t.deepEqual(cautionSentences(real({})), [])
})

test('a run that was stopped is not said to end with a loss, but where it was stopped', (t) => {
  const results = real({ outcome: 'unfinished', reason: 'stopped by a signal', rounds: 10 })
  t.deepEqual(cautionSentences(results), [
    '“D-PSGD”, seed 1, is not finished: stopped by a signal. Its figures are those after 10 rounds.'
  ])
  t.regex(findingSentences(pageData(results))[0], /“D-PSGD” takes .* per round, and has reached a loss of 0.5\.$/)
  t.regex(findingSentences(pageData(real({})))[0], /, and ends with a loss of 0.5\.$/)
})

test('a run that ended early says after how many rounds, and why', (t) => {
  t.deepEqual(cautionSentences(real({ ended: 'X is done', rounds: 10 })), [
    '“D-PSGD”, seed 1, ended after 10 rounds: X is done.'
  ])
})

test('a lost peer is named at the top', (t) => {
  t.deepEqual(cautionSentences(real({ findings: ['b was lost: its process ended by SIGKILL'] })), [
    '“D-PSGD”, seed 1: b was lost: its process ended by SIGKILL.'
  ])
})

test('many runs are counted', (t) => {
  const runs = [1, 2, 3, 4].map((seed) => ({ seed, outcome: 'unfinished' as const }))
  t.deepEqual(cautionSentences(real(...runs)), ['4 runs are not finished.'])
})

test('side by side, runs of different lengths are told apart', (t) => {
  t.deepEqual(cautionSentences(merged(real({ rounds: 60 }), real({ rounds: 1234 }))), [
    'The runs have different lengths, so their final figures cannot be compared: “D-PSGD · folder-1” 60, “D-PSGD · folder-2” 1,234 rounds.'
  ])
  t.deepEqual(cautionSentences(merged(real({ rounds: 60 }), real({ rounds: 60 }))), [])
})

test('the peers of a run are no rivals: each is described, under its own name', (t) => {
  const results = merged(...['a', 'b'].map((peer) => real({ peer, secondsPerRound: peer === 'a' ? 1 : 2 })))
  t.deepEqual(
    findingSentences(pageData(results)).map((text) => /^“(.*?)” takes/.exec(text)?.[1]),
    ['D-PSGD · peer a', 'D-PSGD · peer b']
  )
})

test('folders of the same peer are told apart by their names', (t) => {
  t.deepEqual(
    merged(real({ peer: 'a' }), real({ peer: 'a' })).sweep.methods.map(({ label }) => label),
    ['D-PSGD · folder-1', 'D-PSGD · folder-2']
  )
})
