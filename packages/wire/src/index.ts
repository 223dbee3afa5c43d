/**
 * What the peers send each other: the message of a vector, its frame, and how large it is, in both worlds.
 *
 * @packageDocumentation
 */
export * from './coded-wire.js'
export * from './frame.js'
export * from './message.js'
