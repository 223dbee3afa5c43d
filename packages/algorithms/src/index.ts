/**
 * The algorithms, each one function over a fabric and a task.
 *
 * @packageDocumentation
 */
export * from './all-reduce-sgd.js'
export * from './async-parameter-server.js'
export * from './averaging.js'
export * from './batches.js'
export type { CentralOptions, ServerOptions, StaleSynchronousOptions, TrainingOptions } from './central.js'
export * from './collectives/all-reduce.js'
export * from './collectives/broadcast.js'
export * from './collectives/direct.js'
export * from './collectives/group.js'
export * from './collectives/halving-doubling.js'
export * from './collectives/ring.js'
export * from './descent.js'
export * from './dpsgd.js'
export { Exchange, type Mixed, parametersKind } from './exchange.js'
export * from './local-sgd.js'
export type { Mail, Part } from './mail.js'
export { OutlierWatch, outlierText } from './outliers.js'
export * from './parameter-server.js'
export * from './round-buffer.js'
export * from './schedule.js'
export * from './sgd.js'
export * from './sgd-alone.js'
export * from './stale-synchronous.js'
export * from './stretches.js'
