/**
 * A browser tab as a peer of a run: from an invitation's link to a trained model.
 *
 * @packageDocumentation
 */
export type * from './run.js'
export { joinRun, openRun } from './open-run.js'
