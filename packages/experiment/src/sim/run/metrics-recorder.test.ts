import { type Evaluation, peerName, type Task } from '@murmuration/core'
import test from 'ava'
import { MetricsRecorder } from './metrics-recorder.js'
import { stepReport } from './step-report.test.support.js'

const workers = ['a', 'b'].map(peerName)
let time = 0
const simulation = { now: () => (time += 1000), traffic: { bytes: 0 }, hasCrashed: () => false }

/** A task with a single parameter, which is its loss. */
const union: Task = {
  schema: [{ name: 'x', shape: [1] }],
  samples: 1,
  about: {},
  initialise: () => ({ kind: 'initialise', samples: 0, run: () => new Float32Array(1) }),
  gradient: () => ({ kind: 'gradient', samples: 0, run: () => ({ loss: 0, vector: new Float32Array(1) }) }),
  evaluate: ([loss]) => ({ kind: 'evaluate', samples: 0, run: (): Evaluation => ({ loss }) })
}

test('the mean model is that of the reports, also where a peer has written over the memory of its report since', async (t) => {
  const curve = new MetricsRecorder({ workers, union, every: 1, targetLoss: undefined }, simulation)
  const reused = Float32Array.of(2)
  const other = Float32Array.of(4)
  await curve.take(workers[0], stepReport(0, reused))
  reused.fill(Number.NaN)
  await curve.take(workers[1], stepReport(0, other))
  t.like(curve.points[0], { loss: 3, consensusDistance: 1, samples: 2, round: 1 })
  other.fill(Number.NaN)
  await curve.take(workers[0], stepReport(1, Float32Array.of(6)))
  await curve.finish()
  t.like(curve.points.at(-1), { loss: 5, worstLoss: 6, samples: 3 })
})
