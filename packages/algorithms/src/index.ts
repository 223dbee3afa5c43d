/**
 * The algorithms, each one record, and what they are made of.
 *
 * @packageDocumentation
 */
export * from './averaging.js'
export * from './batches.js'
export * from './collectives/broadcast.js'
export { meanOver, type MeanSettings, ringMean } from './collectives/mean-over.js'
export type { RangeChannel } from './collectives/ranks.js'
export { dpsgd } from './dpsgd.js'
export * from './mixing.js'
export { hasMembers, keptOn, refusals, type Surroundings } from './needs.js'
export { Members } from './node/members.js'
export { MeteredStore, type StoreFigures } from './node/metered-store.js'
export type { MembersOptions, SwarmStanding } from './node/members-options.js'
export type { Saved, SavedTree } from './node/save.js'
export { checkpointProblem } from './node/checkpoint-problem.js'
export { Session, train } from './node/session.js'
export type { TrainingSettings } from './node/training.js'
export { concat, linear, map, type Range, rangeOf, type Term, Vector } from './node/vector.js'
export { optimisers, optimiserSettings } from './optimisers.js'
export { OutlierWatch, outlierText } from './outliers.js'
export * from './record.js'
export * from './registry.js'
export * from './schedule.js'
export * from './ranges.js'
