/**
 * Simulations: a scenario's runs in virtual time.
 *
 * @packageDocumentation
 */
export { advise, type AdviceOptions } from '../advise/advise.js'
export { adviceFiles, checkMovable } from '../advise/files.js'
export { type Advice, type AdvisedPlan, type SearchProgress, secondsOf, timesAsLong, totalOf } from '../advise/plans.js'
export { isTie, type RatioInterval, ratioInterval } from '../ratio-interval.js'
export { computingOf } from './scenario-computing.js'
export { calibrated } from './calibrate.js'
export type { RunResult } from './run.js'
export { type AllRuns, runAll } from './run-all.js'
export type { Scenario } from './scenario.js'
export { readScenario } from './scenario-file.js'
export { type MessageSizes, type Recording, recordingWire, replayedTimes } from './replay.js'
export { type Lie, lies, lyingWire } from './lies.js'
export { scenarioOfRun } from './scenario-of-run.js'
export { runCount } from './sweep.js'
export { sweepOf } from './sweep-facts.js'
