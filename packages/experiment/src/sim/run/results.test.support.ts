import { type RunResult, simulateRun } from './run.js'
import type { Scenario } from '../scenario/scenario.js'
import { runsOf, type SimRun, topologyOf } from '../scenario/sweep.js'
import { TaskSets } from './task-sets.js'
import { sharersOf } from '../../training/pipeline.js'

/** The results of the runs of a scenario that are wanted, one after the other. */
export async function results(scenario: Scenario, isWanted: (run: SimRun) => boolean): Promise<RunResult[]> {
  const taskSets = new TaskSets(2)
  const all: RunResult[] = []
  for (const run of runsOf(scenario).filter(isWanted)) {
    const taskSet = await taskSets.of(run.setting.learning, sharersOf(topologyOf(scenario, run)), run.seed)
    all.push(await simulateRun(scenario, run, taskSet, () => 0))
  }
  return all
}
