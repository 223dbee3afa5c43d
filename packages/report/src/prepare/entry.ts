/** Summarises the seeds of one method in one setting. */
import { mean, median } from 'simple-statistics'
import type { CurvePoint, EpochRecord, RunRecord, TimeFractions } from '@murmuration/results'
import type { Band, MethodOutcome } from '../shared/page-data.js'
import { short } from '../shared/units.js'
import { bandOf } from './bands.js'
import { rounded, spreadOf } from './spread.js'

/** At most so many epochs of a method are drawn. */
const maxEpochs = 20

/** `runs` has at least one run. */
export function entryOf(runs: readonly RunRecord[], maxPoints: number): MethodOutcome {
  const over = (figure: (run: RunRecord) => number | undefined) => spreadOf(runs.map((run) => figure(run) ?? Infinity))
  const unlessFailed = (figure: (run: RunRecord) => number) =>
    over((run) => (run.outcome === 'failed' ? undefined : figure(run)))
  const last = (figure: (point: CurvePoint) => number | undefined) =>
    over(({ curve }) => (curve.length === 0 ? undefined : figure(curve[curve.length - 1])))
  return {
    runs: runs.length,
    reached: runs.filter(({ toTarget }) => toTarget !== undefined).length,
    failures: runs
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ seed, reason }) => `seed ${seed}: ${reason ?? 'no reason was recorded'}`),
    unfinished: runs.filter(({ outcome }) => outcome === 'unfinished').map(unfinishedText),
    measures: {
      secondsToTarget: over(({ toTarget }) => toTarget?.seconds),
      bytesToTarget: over(({ toTarget }) => toTarget?.bytes),
      samplesToTarget: over(({ toTarget }) => toTarget?.samples),
      secondsPerRound: unlessFailed(({ rounds, secondsPerRound }) => (rounds === 0 ? Infinity : secondsPerRound)),
      bytesPerRound: unlessFailed(({ bytesSent, rounds, begun = 0 }) => bytesSent / Math.max(0, rounds - begun))
    },
    bytesSent: over(({ bytesSent }) => bytesSent),
    ...busiestOf(runs),
    payloadFraction: over(payloadFraction).middle,
    finalLoss: last(({ loss }) => loss),
    ...(has(runs, 'worstLoss') && { finalWorstLoss: last(({ worstLoss }) => worstLoss) }),
    ...timeOf(runs.flatMap(({ time }) => time ?? [])),
    ...epochsOf(runs.flatMap(({ epochs }) => epochs ?? [])),
    curves: {
      lossBySeconds: bandFor(runs, 'seconds', 'loss', maxPoints),
      lossByBytes: bandFor(runs, 'bytes', 'loss', maxPoints),
      lossBySamples: bandFor(runs, 'samples', 'loss', maxPoints),
      distanceByRounds: bandFor(has(runs, 'consensusDistance') ? runs : [], 'round', 'consensusDistance', maxPoints),
      accuracyBySeconds: bandFor(has(runs, 'accuracy') ? runs : [], 'seconds', 'accuracy', maxPoints),
      perplexityBySamples: bandFor(has(runs, 'perplexity') ? runs : [], 'samples', 'perplexity', maxPoints),
      gapByRounds: bandFor(has(runs, 'gap') ? runs : [], 'round', 'gap', maxPoints)
    }
  }
}

const unfinishedText = ({ seed, reason, rounds }: RunRecord) =>
  `seed ${seed}: ${reason ?? 'its process ended, or is still running'}; all figures are those after ${short(rounds)} rounds`

function busiestOf(runs: readonly RunRecord[]): Pick<MethodOutcome, 'busiest'> {
  const busiest = runs.flatMap((run) => run.busiest ?? [])
  if (busiest.length === 0) return {}
  return { busiest: { name: busiest[0].name, bytes: spreadOf(busiest.map(({ bytes }) => bytes)) } }
}

function payloadFraction({ bytesSent, payloadSent }: RunRecord): number | undefined {
  if (payloadSent === undefined) return undefined
  return bytesSent === 0 ? 1 : payloadSent / bytesSent
}

function timeOf(times: readonly TimeFractions[]): Pick<MethodOutcome, 'time'> {
  if (times.length === 0) return {}
  const over = (fraction: (time: TimeFractions) => number) => rounded(mean(times.map(fraction)))
  return {
    time: {
      working: over(({ working }) => working),
      sending: over(({ sending = 0 }) => sending),
      waiting: over(({ waiting = 0 }) => waiting),
      other: over(({ working, sending, waiting }) => (sending === undefined && waiting === undefined ? 1 - working : 0))
    }
  }
}

function epochsOf(all: readonly EpochRecord[]): Pick<MethodOutcome, 'epochs'> {
  const numbers = [...new Set(all.map(({ epoch }) => epoch))].sort((a, b) => a - b).slice(0, maxEpochs)
  if (numbers.length === 0) return {}
  const epochs = numbers.map((number) => {
    const same = all.filter(({ epoch }) => epoch === number)
    const over = (figure: (epoch: EpochRecord) => number) => rounded(median(same.map(figure)))
    return { epoch: number, round: over(({ round }) => round), seconds: over(({ seconds }) => seconds) }
  })
  return { epochs }
}

const has = (runs: readonly RunRecord[], key: keyof CurvePoint) =>
  runs.some(({ curve }) => curve.some((point) => point[key] !== undefined))

function bandFor(
  runs: readonly RunRecord[],
  x: 'seconds' | 'bytes' | 'samples' | 'round',
  y: 'loss' | 'consensusDistance' | 'accuracy' | 'perplexity' | 'gap',
  maxPoints: number
): Band {
  const curves = runs.map(({ curve, outcome }) => ({
    points: curve.map((point) => ({ x: point[x], y: point[y] ?? NaN })),
    stays: outcome !== 'failed'
  }))
  return bandOf(curves, maxPoints)
}
