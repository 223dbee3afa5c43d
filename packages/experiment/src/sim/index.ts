/**
 * Simulations: a scenario's runs in virtual time.
 *
 * @packageDocumentation
 */
export { isTie, type RatioInterval, ratioInterval } from '../base/ratio-interval.js'
export { computingOf } from './scenario/computing.js'
export { networks, readyAt, stepOperations } from './scenario/networks.js'
export { calibrated } from './sweep/calibrate.js'
export { faultsOf } from './run/faults.js'
export { type RunResult, simulateRun } from './run/run.js'
export { TaskSets } from './run/task-sets.js'
export { type AllRuns, runAll } from './sweep/run-all.js'
export type { Scenario } from './scenario/scenario.js'
export { readScenario } from './scenario/file.js'
export { type MessageSizes, type Recording, recordingWire, replayedTimes } from './run/replay.js'
export { type Lie, lies, lyingWire } from './run/lies.js'
export { runCount, runsOf, topologyOf } from './scenario/sweep.js'
export { sweepOf } from './sweep/sweep-facts.js'
