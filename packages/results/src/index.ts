/**
 * Results of runs and of simulations: their types, and the folder that holds them.
 *
 * @packageDocumentation
 */
export { names } from './files/names.js'
export { runsOfSweep } from './files/order.js'
export { readResults } from './files/read.js'
export { replaceFile } from './files/replace.js'
export { ResultsWriter, writeTables } from './files/write.js'
export type * from './results.js'
