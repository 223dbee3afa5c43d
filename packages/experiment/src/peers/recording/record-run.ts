import { messageOf, OutputError, type PeerName } from '@murmuration/core'
import type { RunEvent } from '../../base/events.js'
import { makeRealPlan } from '../../make-plan.js'
import type { RunRequest } from '../../training/plan.js'
import { RunFile } from './run-file.js'
import { type Failure, RunRecorder } from './run-recorder.js'
import { runTexts, sweepOfRun } from './run-sweep.js'

/** Where the results of a real run are written. */
export interface RecordOptions {
  /** An existing folder. */
  readonly directory: string
  /** The command that reproduces the results. */
  readonly command: string
  /** Records only the figures of this peer; default: of all. */
  readonly peer?: PeerName
  /** A file with links; connections are made as slow as these. */
  readonly links?: string
  readonly emit: (event: RunEvent) => void
}

/**
 * Runs `body`, and writes its events as results. The curve is written as it grows, so that it can be read even if the
 * process is killed. A run in which no peer trained leaves no files. When results cannot be written, a note says so and
 * the run continues; rejects with an OutputError at its end if they still cannot be written.
 */
export async function recordRun<Result>(
  request: RunRequest,
  options: RecordOptions,
  body: (emit: RecordOptions['emit']) => Promise<Result>
): Promise<Result> {
  const { directory, emit, peer, links } = options
  const plan = await makeRealPlan(request)
  const texts = await runTexts(request, links)
  const { seed, rounds, finalRounds } = plan.options
  const peers = plan.file.topology.peers.length
  const run = { method: plan.label, seed, rounds, finalRounds, peers, peer }
  const recorder = new RunRecorder(run, () => performance.now())
  const file = new RunFile(directory, emit)
  try {
    const result = await body((event) => {
      if (event.kind === 'peer') file.begin(sweepOfRun(plan, request, { ...options, texts, task: event.about }))
      if (recorder.take(event)) file.write(() => recorder.record())
      emit(event)
    })
    await file.end(recorder.hasStarted ? recorder.record() : undefined)
    return result
  } catch (error) {
    if (!(error instanceof OutputError)) recorder.fail(failureOf(error))
    await file.end(recorder.hasStarted ? recorder.record() : undefined).catch((unwritten: unknown) => {
      if (unwritten !== error) emit({ kind: 'note', text: messageOf(unwritten) })
    })
    throw error
  }
}

/** Errors from other processes are recognised by their names. */
function failureOf(error: unknown): Failure {
  const isStopped = error instanceof Error && error.name === 'StoppedError'
  return { outcome: isStopped ? 'unfinished' : 'failed', reason: messageOf(error) }
}
