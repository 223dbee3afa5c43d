/**
 * What the peers send each other, in both worlds: the message of a vector, its frame, and the size of that frame.
 *
 * @packageDocumentation
 */
export * from './coded-wire.js'
export * from './frame.js'
export * from './message.js'
