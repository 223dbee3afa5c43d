/**
 * Names, errors and addresses: what a command needs before it is chosen. The rest of this package takes longer to load.
 *
 * @packageDocumentation
 */
export * from './errors.js'
export * from './ip.js'
export * from './names.js'
export * from './printable.js'
