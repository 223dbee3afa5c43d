/**
 * A world in virtual time: many peers in one process, with the same algorithms as on real links.
 *
 * @packageDocumentation
 */
export { type Churn, drawChurn, expectedCrashes } from './churn.js'
export { type ComputingModel, computingCost, type Stragglers } from './computing.js'
export {
  drawFaults,
  type FaultDraw,
  type FaultEvent,
  type Faults,
  noFaults,
  type FaultRule,
  type MessageFate
} from './faults.js'
export { DeadlockError } from './deadlock.js'
export { LogHash } from './log-hash.js'
export { measuredNetwork, type NetworkOptions, rawNetwork } from './network/network.js'
export { type OperationCost, SharedStore, type StoreCosts } from './shared-store.js'
export * from './simulate.js'
export * from './simulation.js'
export * from './simulation-options.js'
export type { TimeTotals } from './time-use.js'
