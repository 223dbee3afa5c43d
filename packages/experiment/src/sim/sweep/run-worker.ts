/** A worker thread: simulates runs of one scenario, one after the other. */
import { parentPort, threadId } from 'node:worker_threads'
import { messageOf } from '@murmuration/core'
import { workerData } from 'piscina'
import { loadAlgorithm } from '../../training/algorithm-choice.js'
import { TaskSets } from '../run/task-sets.js'
import { type RunResult, simulateRun } from '../run/run.js'
import type { Scenario } from '../scenario/scenario.js'
import { runsOf, topologyOf } from '../scenario/sweep.js'
import { sharersOf } from '../../training/pipeline.js'

/** The result of a run, or its error. Errors lose their class between threads, so they are recognised by name. */
export type RunAnswer =
  | { readonly ok: true; readonly result: RunResult }
  | { readonly ok: false; readonly name: string; readonly message: string; readonly stack: string | undefined }

/** The message of a thread that has loaded its modules. */
export interface ThreadLoaded {
  readonly loaded: number
}

/** Limits of a run, in place of the scenario's. */
export interface RunLimits {
  readonly stop?: Scenario['stop']
  readonly rounds?: number
  /** Rounds between two evaluations; Infinity for only one at the end. */
  readonly evaluate?: number
}

const scenario = workerData as Scenario
const runs = runsOf(scenario)
const taskSets = new TaskSets(8)

/** A request to a thread. */
export interface RunQuestion {
  /** The index in the list of `runsOf`. */
  readonly index: number
  readonly within: RunLimits
}

/** Simulates a run. */
export async function run({ index, within }: RunQuestion): Promise<RunAnswer> {
  try {
    await Promise.all(scenario.methods.map(({ algorithm }) => loadAlgorithm(algorithm)))
    const simRun = runs[index]
    const taskSet = await taskSets.of(simRun.setting.learning, sharersOf(topologyOf(scenario, simRun)), simRun.seed)
    const limited = limitedBy(scenario, within)
    return { ok: true, result: await simulateRun(limited, simRun, taskSet, () => performance.now()) }
  } catch (error) {
    const { name, stack } = error instanceof Error ? error : { name: 'Error', stack: undefined }
    return { ok: false, name, message: messageOf(error), stack }
  }
}

function limitedBy(full: Scenario, within: RunLimits): Scenario {
  const { stop = full.stop, rounds = full.training.rounds, evaluate = full.evaluate } = within
  return { ...full, stop, evaluate, training: { ...full.training, rounds } }
}

parentPort?.postMessage({ loaded: threadId } satisfies ThreadLoaded)
