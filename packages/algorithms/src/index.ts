/**
 * The algorithms, each one function over a fabric and a task.
 *
 * @packageDocumentation
 */
export * from './averaging.js'
export * from './batches.js'
export * from './descent.js'
export * from './dpsgd.js'
export { Exchange, type Mixed, parametersKind } from './exchange.js'
export * from './round-buffer.js'
export * from './schedule.js'
export * from './sgd.js'
