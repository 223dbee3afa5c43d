import { hasRows } from '@murmuration/algorithms'
import type { PeerName, Work } from '@murmuration/core'
import { buildTaskHere, startTaskWorker, type TaskWorker, type ThreadWork } from '@murmuration/tasks'
import type { RunEvent } from '../../base/events.js'
import { type RunPlan, taskOf } from '../../training/plan.js'
import { noteWhileSlow } from '../reporting/note-while-slow.js'

/** The peer that needs the task. */
interface PeerOfRun {
  readonly plan: RunPlan
  readonly self: PeerName
  readonly emit: (event: RunEvent) => void
  readonly signal: AbortSignal
}

/** Whether the peer holds parameters for the workers. */
export function isServer({ plan, self }: Pick<PeerOfRun, 'plan' | 'self'>): boolean {
  return plan.options.servers?.includes(self) === true
}

/**
 * The task in a thread of its own (with keyed rows or a kernel: in this thread). Notes report when building it, or a
 * gradient, takes long.
 */
export async function buildTask(run: PeerOfRun): Promise<TaskWorker> {
  const { plan, self, emit, signal } = run
  // A server has no data of its own: it needs only the parameters of the task.
  const description = taskOf(plan, isServer(run) ? undefined : self)
  const content = description.userModule === undefined ? 'its model and data' : `the model of ${description.userModule}`
  const note = (what: string) => (seconds: number) =>
    emit({ kind: 'note', text: `${self}: ${what} has taken ${seconds} s so far` })
  if (hasRows(plan.options) || plan.options.algorithm.needs.kernel === true)
    return noteWhileSlow(buildTaskHere(description), note(`building ${content}`))
  const task = await noteWhileSlow(startTaskWorker(description, { signal }), note(`building ${content}`))
  const noting = <Result>(what: string, work: Work<Result>): ThreadWork<Result> => ({
    ...work,
    run: () => noteWhileSlow(Promise.resolve(work.run()), note(`${what} of ${content}`))
  })
  const { dual } = task
  return {
    ...task,
    dual: dual && { width: dual.width, step: (...args) => noting('a dual step', dual.step(...args)) },
    gradient: (parameters, batch, round) => noting('a gradient', task.gradient(parameters, batch, round))
  }
}
