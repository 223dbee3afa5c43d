import {
  partText,
  type Results,
  runsExpected,
  runsOfSweep,
  type SimulatedRecord,
  type Sweep
} from '@murmuration/results'
import { shortList } from '@murmuration/core'
import { createLogUpdate } from 'log-update'
import { bytes, count, duration, percent, quality, short } from '../output/texts.js'
import type { RunResult } from '@murmuration/experiment/sim'
import { simTable } from './sim-table.js'

/** How a sweep ended. */
export interface SimEnd {
  /** The folder of the results. */
  readonly directory: string
  /** The report's file; absent if there is none. */
  readonly report?: string
  /** Real time, in seconds. */
  readonly seconds: number
  /** The number of runs that were repeated to check that the result is the same. */
  readonly repeated: number
  /** Whether all runs were done. */
  readonly isWhole: boolean
}

/** Reports the progress of a sweep to people or programs. */
export interface SimOutput {
  start(sweep: Sweep, threads: number): void
  note(text: string): void
  run(result: RunResult, done: number, all: number): void
  end(results: Results<SimulatedRecord>, end: SimEnd): void
  /** Restores the terminal. */
  close(): void
}

/** One JSON object per line. */
export function jsonSimOutput(stream: NodeJS.WritableStream): SimOutput {
  const line = (object: unknown) => stream.write(`${JSON.stringify(object)}\n`)
  return {
    start: (sweep, threads) => {
      const { version, title, part } = sweep
      line({ kind: 'start', version, title, runs: runsExpected(sweep), ...(part && { part: partText(part) }), threads })
    },
    note: (text) => line({ kind: 'note', text }),
    run: ({ record }, done, all) => line({ kind: 'run', done, all, ...record }),
    end: (results, { directory, report, seconds, repeated, isWhole }) => {
      const runs = results.runs.length
      const failed = failedOf(results).length
      const findings = findingsOf(results)
      line({ kind: 'summary', runs, failed, directory, report, seconds, repeated, isWhole, findings })
    },
    close: () => {}
  }
}

/**
 * Text: one line that is redrawn on a terminal, otherwise a line for every tenth of the runs; and tables at the end.
 */
export function textSimOutput(stream: NodeJS.WriteStream, now: () => number): SimOutput {
  const print = (text: string) => stream.write(`${text}\n`)
  const progress = stream.isTTY ? liveProgress(stream) : plainProgress(print)
  let began = 0
  return {
    start: (sweep, threads) => {
      began = now()
      const { title, part } = sweep
      const runs = `${runsText(runsExpected(sweep))}${part === undefined ? '' : `, part ${partText(part)} of ${count(runsOfSweep(sweep))},`}`
      print(`${title}: ${runs} on ${threads} ${threads === 1 ? 'thread' : 'threads'}`)
    },
    note: print,
    run: ({ record }, done, all) => {
      const elapsed = (now() - began) / 1000
      const remaining = (elapsed / done) * (all - done)
      const latest = `${record.method}, seed ${record.seed}`
      progress.show(done, all, `${duration(elapsed)}, about ${duration(remaining)} left; last: ${latest}`)
    },
    end: (results, end) => {
      progress.close()
      if (results.runs.length > 0) print(simTable(results, stream.columns ?? 120))
      print(endText(results, end))
    },
    close: () => progress.close()
  }
}

interface ProgressLine {
  show(done: number, all: number, text: string): void
  close(): void
}

const barLength = 24

function liveProgress(stream: NodeJS.WriteStream): ProgressLine {
  const update = createLogUpdate(stream, { showCursor: false })
  return {
    show: (done, all, text) => {
      const full = Math.round((done / all) * barLength)
      const bar = '█'.repeat(full) + '░'.repeat(barLength - full)
      update(`${bar} ${count(done)} of ${count(all)} runs, ${text}`.slice(0, Math.max(40, stream.columns ?? 80) - 1))
    },
    close: () => {
      update.clear()
      update.done()
    }
  }
}

function plainProgress(print: (text: string) => void): ProgressLine {
  let tenths = 0
  return {
    show: (done, all, text) => {
      if (Math.floor((10 * done) / all) <= tenths) return
      tenths = Math.floor((10 * done) / all)
      print(`${count(done)} of ${count(all)} runs, ${text}`)
    },
    close: () => {}
  }
}

function endText(results: Results<SimulatedRecord>, end: SimEnd): string {
  const { runs } = results
  if (runs.length === 0) return 'no run was simulated; there are no results'
  const virtual = runs.reduce((sum, run) => sum + run.seconds, 0)
  const stopped = end.isWhole ? '' : ' (stopped early)'
  return [
    `${runsText(runs.length)}, ${duration(virtual)} of virtual time in ${duration(end.seconds)}${stopped}`,
    ...onlyRunLines(results),
    ...failedText(results),
    ...lostText(results),
    ...epochsText(results),
    ...endedText(results),
    ...nothingText(results),
    ...invariantsText(results, end),
    end.report === undefined ? `results: ${end.directory}; no report` : `report: ${end.report}`
  ].join('\n')
}

/** For a single run, the figures that "murmur swarm" prints at the end, since there is nothing to compare it with. */
function onlyRunLines({ runs }: Results<SimulatedRecord>): string[] {
  const [{ curve, bytesSent, busiest, time }] = runs
  const last = curve.at(-1)
  if (runs.length > 1 || last === undefined) return []
  return [
    `  the mean model               ${last.perplexity === undefined ? '' : 'perplexity '}${quality(last)}`,
    `  consensus distance           ${short(last.consensusDistance)}`,
    ...(last.gap === undefined ? [] : [`  duality gap                  ${short(last.gap)}`]),
    `  sent                         ${bytes(bytesSent)}; the busiest line, that of ${busiest.name}: ${bytes(busiest.bytes)}`,
    `  waiting for others           ${percent(time.waiting)} of the time`
  ]
}

function failedText(results: Results): string[] {
  const failed = failedOf(results)
  if (failed.length === 0) return []
  const [{ method, seed, reason }] = failed
  return [`${count(failed.length)} of ${count(results.runs.length)} runs failed; ${method}, seed ${seed}: ${reason}`]
}

function lostText({ runs }: Results): string[] {
  const losing = runs.filter(({ lost = [] }) => lost.length > 0)
  if (losing.length === 0) return []
  const [{ method, seed, lost = [] }] = losing
  const others = `${count(losing.length)} of ${count(runs.length)} runs continued without peers that gave up`
  return [`${others}; ${method}, seed ${seed}: ${lost.join('; ')}`]
}

/** Of the first run with new epochs: when they began, and what changed. */
function epochsText({ runs }: Results): string[] {
  const [first, ...others] = runs.filter(({ epochs = [] }) => epochs.length > 0)
  if (first === undefined) return []
  const { method, seed, epochs = [] } = first
  const texts = epochs.map(({ epoch, round, seconds, lost, joined }) => {
    const changes = [...named('without', lost), ...named('with', joined)].join(' and ')
    const time = seconds < 60 ? `${short(seconds)} s` : duration(seconds)
    return [`epoch ${epoch} after ${time}`, `in round ${round + 1}`, ...(changes === '' ? [] : [changes])].join(', ')
  })
  const counted = `${count(others.length + 1)} of ${runsText(runs.length)} continued in new epochs`
  return [`${counted}; ${method}, seed ${seed}: ${shortList(texts)}`]
}

const named = (word: string, peers: readonly string[]) => (peers.length === 0 ? [] : [`${word} ${shortList(peers)}`])

function nothingText({ runs }: Results<SimulatedRecord>): string[] {
  const [first, ...others] = runs.filter(({ learnedNothing }) => learnedNothing !== undefined)
  if (first === undefined) return []
  const { method, seed, learnedNothing } = first
  return [
    `${count(others.length + 1)} of ${runsText(runs.length)} learned nothing; ${method}, seed ${seed}: ${learnedNothing}`
  ]
}

function endedText({ runs }: Results): string[] {
  const [first, ...others] = runs.filter(({ ended }) => ended !== undefined)
  if (first === undefined) return []
  const { method, seed, rounds, ended } = first
  const counted = `${count(others.length + 1)} of ${runsText(runs.length)} ended early`
  return [`${counted}; ${method}, seed ${seed}, after ${count(Math.round(rounds))} rounds: ${ended}`]
}

/** Makes no claim about runs that were not done, or if all runs failed. */
function invariantsText(results: Results, { repeated, isWhole }: SimEnd): string[] {
  const findings = findingsOf(results)
  if (findings.length > 0) return [`violated invariants:\n${findings.map((finding) => `  ${finding}`).join('\n')}`]
  if (failedOf(results).length === results.runs.length) return []
  const repeats = repeated === 0 ? 'no run repeated' : `${runsText(repeated)} repeated, with the same result`
  return [isWhole ? `all invariants held; ${repeats}` : `no invariant was violated in these runs; ${repeats}`]
}

function runsText(runs: number): string {
  return `${count(runs)} ${runs === 1 ? 'run' : 'runs'}`
}

function failedOf({ runs }: Results): Results['runs'] {
  return runs.filter(({ outcome }) => outcome === 'failed')
}

function findingsOf({ runs }: Results): string[] {
  return runs.flatMap(({ method, seed, findings }) => findings.map((finding) => `${method}, seed ${seed}: ${finding}`))
}
