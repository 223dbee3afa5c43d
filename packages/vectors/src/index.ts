/**
 * Flat float32 vectors: arithmetic, codecs, and the schema that gives the offset of each tensor.
 *
 * @packageDocumentation
 */
export * from './arithmetic.js'
export { checksumOf } from './checksum.js'
export { bodyOf } from './copy.js'
export type { Accuracy, Codec, CodecKind, CodecParameter, Decoder, EncodedBody, Encoder } from './codecs/codec.js'
export { rawCodecId } from './codecs/codec.js'
export { codecRandom, type Lane, LinkDecoder, LinkEncoder } from './codecs/link.js'
export { bodyBytes, codecWords, expectedParameter, isCodec, parseCodec } from './codecs/parse.js'
export { packedBytes, packedId, readPacked, writePacked } from './codecs/packed.js'
export { codecKinds } from './codecs/registry.js'
export { keepLargest } from './largest.js'
export * from './named-tensors.js'
export * from './safetensors.js'
export * from './schema.js'
export * from './sketch.js'
export { sortElements } from './sorting.js'
export { KernelMemory } from './wasm/memory.js'
