/**
 * The project's terms as types, and small helpers that belong to no other package.
 *
 * @packageDocumentation
 */
export * from './algorithm.js'
export * from './budget.js'
export * from './deferred.js'
export * from './epochs.js'
export * from './errors.js'
export * from './fabric-with.js'
export * from './json.js'
export * from './fabric.js'
export * from './ip.js'
export * from './links.js'
export * from './math/index.js'
export * from './names.js'
export * from './notes.js'
export * from './printable.js'
export * from './problems.js'
export * from './random.js'
export * from './store.js'
export * from './task.js'
export * from './topology.js'
export * from './utf8.js'
