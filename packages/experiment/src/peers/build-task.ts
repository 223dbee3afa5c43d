import type { PeerName } from '@murmuration/core'
import { buildTaskHere, startTaskWorker, type TaskWorker } from '@murmuration/tasks'
import type { RunEvent } from '../events.js'
import { type Plan, taskOf } from '../training/plan.js'
import { noteWhileSlow } from './note-while-slow.js'

/** Whose task it is. */
interface PeerOfRun {
  readonly plan: Plan
  readonly self: PeerName
  readonly emit: (event: RunEvent) => void
  readonly signal: AbortSignal
}

/** Whether the peer holds parameters for the workers. */
export function isServer({ plan, self }: Pick<PeerOfRun, 'plan' | 'self'>): boolean {
  return plan.options.servers?.includes(self) === true
}

/** The task in a thread of its own, with notes as long as that takes, and where a step takes long; in this thread where batches touch a few rows. */
export async function buildTask(run: PeerOfRun): Promise<TaskWorker> {
  const { plan, self, emit, signal } = run
  // A server has no data of its own: of the task it needs the parameters alone.
  const description = taskOf(plan, isServer(run) ? undefined : self)
  const whose = description.userModule === undefined ? 'its model and data' : `the model of ${description.userModule}`
  const note = (what: string) => (seconds: number) =>
    emit({ kind: 'note', text: `${self}: ${what} has taken ${seconds} s so far` })
  if (plan.options.algorithm.keys !== undefined)
    return noteWhileSlow(buildTaskHere(description), note(`building ${whose}`))
  const task = await noteWhileSlow(startTaskWorker(description, { signal }), note(`building ${whose}`))
  return {
    ...task,
    gradient: (parameters, batch, round) => {
      const work = task.gradient(parameters, batch, round)
      return { ...work, run: () => noteWhileSlow(work.run(), note(`a gradient of ${whose}`)) }
    }
  }
}
