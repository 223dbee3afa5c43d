/**
 * Advice: which plan reaches the same loss first on given links.
 *
 * @packageDocumentation
 */
export { advise, type AdviceOptions, sweepOfPlans } from './advise.js'
export { adviseStages, type StageAdvice, stageFiles } from './stages/advise-stages.js'
export { perBatch } from './stages/stage-plans.js'
export { type AdviceFiles, adviceFiles, checkMovable } from './files.js'
export { type Advice, type AdvisedPlan, type SearchProgress, secondsOf, timesAsLong, totalOf } from './plans.js'
export { scenarioOfRun } from './scenario-of-run.js'
