/**
 * Results of simulations, and the report on them: one HTML file that needs no network.
 *
 * @packageDocumentation
 */
export type * from './results.js'
