/**
 * A world in virtual time: many peers in one process, with the same algorithms as on real links.
 *
 * @packageDocumentation
 */
export { DeadlockError } from './kernel.js'
export * from './simulation.js'
