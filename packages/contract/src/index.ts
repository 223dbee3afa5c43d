/**
 * Test suites as functions of a factory: what an interface promises, for everything that implements it.
 *
 * @packageDocumentation
 */
export * from './algorithm-suite.js'
export * from './codec-suite.js'
export { checkpointing, type Drive, pausing, resuming, straight } from './drives.js'
export * from './edge-suite.js'
export { vectorLength } from './exchanging.js'
export * from './fabric-suite.js'
export * from './fabric-world.js'
export { complete } from './graphs.js'
export * from './poison.js'
export { type Quadratics, quadratics } from './quadratic.js'
export * from './task-suite.js'
export * from './time-limit.js'
export * from './topology-suite.js'
export * from './transcripts.js'
