/**
 * Flat float32 vectors: arithmetic, the schema that says what lies where, and the frame that carries them.
 *
 * @packageDocumentation
 */
export * from './arithmetic.js'
export { copyBytes, copyNumbers } from './copy.js'
export * from './coded-wire.js'
export type { Codec, CodecName, Decoder, EncodedBody, Encoder } from './codecs/codec.js'
export { codecIds } from './codecs/codec.js'
export { codecRandom, type Lane, LinkDecoder, LinkEncoder, lanesMost } from './codecs/link.js'
export { bodyBytes, codecWords, isCodec, parseCodec } from './codecs/parse.js'
export * from './frame.js'
export * from './message.js'
export * from './schema.js'
export { VectorMemory } from './wasm/vector-memory.js'
