/**
 * What a peer needs of data sets: their names, and the files that a person gave. They are read where they are computed
 * with.
 *
 * @packageDocumentation
 */
export * from './about.js'
export { type KnownSetName, knownSetNames } from './files/known-sets.js'
export { type ProvidedFile, provideFiles, providedFiles } from './files/provided-files.js'
export { type DataTraits, type NamedSet, namedSets } from './named-sets.js'
export * from './samples.js'
