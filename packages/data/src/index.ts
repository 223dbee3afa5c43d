/**
 * Data sets: files, downloads with checksums and drawn sets; how they are split and divided among the peers.
 *
 * @packageDocumentation
 */
export * from './peer.js'
export { constantAnswerOn } from './constant-answer.js'
export { checksumOf } from './files.js'
export { refuseSpecialFile } from './files/special-file.js'
export { drawGraph, type GraphOptions } from './drawn-graph.js'
export { drawRatings, type RatingsOptions } from './drawn-ratings.js'
export { type SplitTriples, readGraph, type Triples } from './files/triples.js'
export { type Ratings, readRatings } from './files/ratings.js'
export { fingerprintOf, fingerprintsOf } from './fingerprint.js'
export { imageFolders } from './images/folder.js'
export { keepDecodedImages } from './images/kept-images.js'
export { inputsIn, type ModelInput } from './inputs.js'
export { homeDirectory } from '#data/home.js'
export { openTest } from './open-data.js'
export * from './partition.js'
export { signatureOf } from './signature.js'
export { sourceOf } from './source.js'
export * from './local-data.js'
export { sentenceEntropy } from './text/sentences.js'
export { numbered } from './text/text.js'
export { drawWords, plantSynonyms, type WordsOptions } from './text/drawn-words.js'
export { parseWords, readWords, type WordText } from './text/words.js'
