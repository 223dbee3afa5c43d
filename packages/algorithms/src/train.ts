import { type Fabric, InputError, type StepReport, type Task } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { type RowsAlgorithm, type SavedRows, trainKeys } from '@murmuration/rows'
import { ElasticSession, type ElasticSettings, hasMembers, Session, type TrainingSettings } from '@murmuration/engine'

/** How peers train, whatever their parameters are. */
export type AnySettings = ElasticSettings | TrainingSettings<RowsAlgorithm>

/** Whether the parameters of a run are keyed rows. */
export function hasRows(settings: AnySettings): settings is TrainingSettings<RowsAlgorithm> {
  return settings.algorithm.kind === 'rows'
}

/**
 * Trains one peer: yields a report per round and returns the parameters at the end. See {@link Session.steps}, and
 * {@link trainKeys} for algorithms with keyed rows.
 *
 * @param options - `signal` is aborted to end training before it is over: the next step, or the one in progress,
 *   rejects with its reason, the members hear that this peer leaves, and the fabric is stopped; `from` are rows to
 *   continue from, with an algorithm with keyed rows
 */
export function train(
  fabric: Fabric<VectorMessage>,
  task: Task,
  settings: AnySettings,
  { signal, from }: { readonly signal?: AbortSignal | undefined; readonly from?: SavedRows | undefined } = {}
): AsyncGenerator<StepReport, Float32Array> {
  const steps = hasRows(settings) ? trainKeys(fabric, task, settings, from) : sessionOf(fabric, task, settings).steps()
  if (signal === undefined) return steps
  return untilAborted(steps, signal, () => {
    settings.members?.leave()
    fabric.stop(signal.reason)
  })
}

function sessionOf(fabric: Fabric<VectorMessage>, task: Task, settings: ElasticSettings) {
  const { algorithm, members, epochs } = settings
  if (members !== undefined && epochs === undefined && !hasMembers(algorithm))
    throw new InputError(`${algorithm.title} needs all peers: where they come and go, settings need "epochs"`)
  return epochs !== undefined && members !== undefined
    ? new ElasticSession(fabric, task, settings)
    : new Session(fabric, task, settings)
}

async function* untilAborted(
  steps: AsyncGenerator<StepReport, Float32Array>,
  signal: AbortSignal,
  stop: () => void
): AsyncGenerator<StepReport, Float32Array> {
  signal.throwIfAborted()
  signal.addEventListener('abort', stop)
  try {
    const parameters = yield* steps
    signal.throwIfAborted()
    return parameters
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
