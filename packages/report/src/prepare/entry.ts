/** What the seeds of one contender in one setting come to. */
import { mean } from 'simple-statistics'
import type { CurvePoint, RunRecord } from '@murmuration/results'
import type { Band, Entry } from '../shared/page-data.js'
import { bandOf } from './bands.js'
import { rounded, spreadOf } from './spread.js'

/** `runs` has at least one run. */
export function entryOf(runs: readonly RunRecord[], pointsMax: number): Entry {
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
      .map(({ seed, why }) => `seed ${seed}: ${why ?? 'no reason was recorded'}`),
    measures: {
      secondsToTarget: over(({ toTarget }) => toTarget?.seconds),
      bytesToTarget: over(({ toTarget }) => toTarget?.bytes),
      samplesToTarget: over(({ toTarget }) => toTarget?.samples),
      secondsPerRound: unlessFailed(({ secondsPerRound }) => secondsPerRound),
      bytesPerRound: unlessFailed(({ bytesSent, rounds }) => bytesSent / rounds)
    },
    bytesSent: over(({ bytesSent }) => bytesSent),
    busiestBytes: over(({ busiest }) => busiest.bytes),
    busiestName: runs[0].busiest.name,
    payloadShare: over(({ bytesSent, payloadSent }) => (bytesSent === 0 ? 1 : payloadSent / bytesSent)).middle,
    finalLoss: last(({ loss }) => loss),
    ...(has(runs, 'worstLoss') && { finalWorstLoss: last(({ worstLoss }) => worstLoss) }),
    time: {
      working: rounded(mean(runs.map(({ time }) => time.working))),
      sending: rounded(mean(runs.map(({ time }) => time.sending))),
      waiting: rounded(mean(runs.map(({ time }) => time.waiting)))
    },
    curves: {
      lossBySeconds: bandFor(runs, 'seconds', 'loss', pointsMax),
      lossByBytes: bandFor(runs, 'bytes', 'loss', pointsMax),
      lossBySamples: bandFor(runs, 'samples', 'loss', pointsMax),
      distanceByRounds: bandFor(runs, 'round', 'consensusDistance', pointsMax),
      accuracyBySeconds: bandFor(has(runs, 'accuracy') ? runs : [], 'seconds', 'accuracy', pointsMax)
    }
  }
}

const has = (runs: readonly RunRecord[], key: keyof CurvePoint) =>
  runs.some(({ curve }) => curve.some((point) => point[key] !== undefined))

function bandFor(
  runs: readonly RunRecord[],
  x: 'seconds' | 'bytes' | 'samples' | 'round',
  y: 'loss' | 'consensusDistance' | 'accuracy',
  pointsMax: number
): Band {
  const curves = runs.map(({ curve, outcome }) => ({
    points: curve.map((point) => ({ x: point[x], y: point[y] ?? NaN })),
    stays: outcome !== 'failed'
  }))
  return bandOf(curves, pointsMax)
}
