import { type RowsAlgorithm, train, type TrainingSettings } from '@murmuration/algorithms'
import type { KeyCounts, StepReport, Task } from '@murmuration/core'
import type { Peer } from '@murmuration/libp2p'
import type { RunEvent } from '../../base/events.js'
import type { RunPlan } from '../../training/plan.js'
import { isServer } from './build-task.js'
import { BusyTime } from '../reporting/busy-time.js'
import type { EventLogWriter } from '../event-log/event-log.js'
import { loggedFabric } from '../event-log/logged-fabric.js'
import { isSnapshot, type Snapshot, snapshotsEvery } from '../reporting/snapshots.js'
import { type RunTotals, StepReports } from '../reporting/step-reports.js'
import type { Watching } from '../watching/watching.js'

interface RowRun {
  readonly plan: RunPlan
  readonly self: Peer['fabric']['self']
  readonly emit: (event: RunEvent) => void
  readonly onSnapshot: (snapshot: Snapshot, task: Task) => Promise<void>
  readonly log?: EventLogWriter | undefined
}

/** The result of a peer, with an algorithm that has keyed rows. */
export interface RowsTrained extends RunTotals {
  readonly parameters: Float32Array
  readonly working: number
  readonly keys?: KeyCounts
}

/**
 * Trains, or serves, one peer of an algorithm with keyed rows. The membership is fixed, and there are no checkpoints.
 */
export async function trainRows(
  run: RowRun,
  options: TrainingSettings<RowsAlgorithm> & { readonly finalRounds: number },
  task: Task,
  peer: Peer,
  watching: Watching
): Promise<RowsTrained> {
  const { log, self } = run
  const fabric = log === undefined ? peer.fabric : loggedFabric(peer.fabric, log)
  const reports = new StepReports(self, peer, options)
  const busy = new BusyTime(() => peer.fabric.now())
  const start = peer.fabric.now()
  const every = snapshotsEvery(options.rounds)
  const progress = { round: 0, waited: 0 }
  let keys: KeyCounts | undefined
  watching.figures.begin(progress, busy)
  const take = async (report: StepReport) => {
    progress.round = report.round + 1
    progress.waited += report.waited
    keys = report.keys ?? keys
    watching.figures.step(report)
    const event = isServer(run) ? undefined : reports.add(report)
    if (event !== undefined) run.emit(event)
    const { round, samples, parameters, holds } = report
    if (holds !== undefined && isSnapshot(report, every, options.rounds))
      await run.onSnapshot({ round, parameters, holds, ...reports.progress(samples) }, task)
  }
  const steps = train(fabric, busy.watch(task), options)
  for (;;) {
    const step = await steps.next()
    if (!step.done) {
      await take(step.value)
      continue
    }
    watching.figures.finish()
    return { parameters: step.value, ...reports.totals(), working: busy.fraction(start), ...(keys && { keys }) }
  }
}
