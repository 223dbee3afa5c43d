import {
  packRows,
  type RowsAlgorithm,
  type Saved,
  type SavedRows,
  train,
  type TrainingSettings,
  unpackRows
} from '@murmuration/algorithms'
import {
  InputError,
  type KeyCounts,
  messageOf,
  NeighboursMissingError,
  StoppedError,
  type StepReport,
  type Task
} from '@murmuration/core'
import type { Peer } from '@murmuration/libp2p'
import type { RunEvent } from '../../base/events.js'
import type { RunPlan } from '../../training/plan.js'
import type { Checkpoints, SavedSession } from '../checkpoints/checkpoints.js'
import type { Halt } from '../checkpoints/halt.js'
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
  /** Stops the peer between two rounds, with a checkpoint. */
  readonly halt?: Halt | undefined
  readonly checkpoints?: Checkpoints | undefined
  /** The state to resume from; absent for a new start. */
  readonly saved?: Saved | undefined
}

/** The result of a peer, with an algorithm that has keyed rows. */
export interface RowsTrained extends RunTotals {
  readonly parameters: Float32Array
  readonly working: number
  readonly keys?: KeyCounts
}

/** Trains, or serves, one peer of an algorithm with keyed rows. The membership is fixed. */
export async function trainRows(
  run: RowRun,
  options: TrainingSettings<RowsAlgorithm> & { readonly finalRounds: number },
  task: Task,
  peer: Peer,
  watching: Watching
): Promise<RowsTrained> {
  const { log, self, checkpoints, halt } = run
  const fabric = log === undefined ? peer.fabric : loggedFabric(peer.fabric, log)
  const reports = new StepReports(self, peer, options)
  const busy = new BusyTime(() => peer.fabric.now())
  const start = peer.fabric.now()
  const every = snapshotsEvery(options.rounds)
  const from = restored(run.saved, task, options)
  const progress = { round: from?.round ?? 0, waited: 0 }
  let keys: KeyCounts | undefined
  let held: SavedSession | undefined
  checkpoints?.begin(progress.round, start, options.rounds, () => [])
  watching.figures.begin(progress, busy)
  const take = async (report: StepReport) => {
    progress.round = report.round + 1
    progress.waited += report.waited
    keys = report.keys ?? keys
    watching.figures.step(report)
    const event = isServer(run) ? undefined : reports.add(report)
    if (event !== undefined) run.emit(event)
    const { round, samples, parameters, holds } = report
    if (holds === undefined) return
    if (isSnapshot(report, every, options.rounds))
      await run.onSnapshot({ round, parameters, holds, ...reports.progress(samples) }, task)
    if (checkpoints === undefined) return
    held = sessionOf({ round: round + 1, samples, keys: holds, rows: parameters })
    await checkpoints.writeIfDue(held, peer)
  }
  /** Those that stop now have the same round. */
  const keep = async (error: unknown): Promise<never> => {
    const isLost = error instanceof NeighboursMissingError && progress.round < options.rounds
    if (isLost && held !== undefined) await checkpoints?.writeLast(held)
    throw error
  }
  const steps = train(fabric, busy.watch(task), options, { from })
  for (;;) {
    if (await halt?.isDue(progress.round)) {
      if (held !== undefined && progress.round <= options.rounds) await checkpoints?.writeLast(held)
      throw new StoppedError()
    }
    const step = await steps.next().catch(keep)
    if (!step.done) {
      await take(step.value)
      continue
    }
    halt?.end()
    watching.figures.finish()
    return { parameters: step.value, ...reports.totals(), working: busy.fraction(start), ...(keys && { keys }) }
  }
}

/** Between two rounds all peers are at the same one, so none needs the state before the last. */
function sessionOf(held: SavedRows): SavedSession {
  return { round: held.round, checkpoint: () => packRows(held), previousCheckpoint: () => undefined }
}

function restored(
  saved: Saved | undefined,
  { rows }: Task,
  { rounds }: TrainingSettings<RowsAlgorithm>
): SavedRows | undefined {
  if (saved === undefined || rows === undefined) return undefined
  try {
    return unpackRows(saved, rows, rounds)
  } catch (error) {
    throw new InputError(`--resume: the checkpoint: ${messageOf(error)}`)
  }
}
