import { knownSetNames } from './files/known-sets.js'

/** What a data set consists of, as far as a task may ask. */
export interface DataTraits {
  /** Whether a sample is a picture: its numbers have rows and columns. */
  readonly hasImages: boolean
  readonly classes: number
}

/** A data set that files call by one word. */
export interface NamedSet extends DataTraits {
  readonly name: string
  /** Where it comes from, in a few words. */
  readonly description: string
}

/** All data sets that files call by one word. */
export const namedSets: readonly NamedSet[] = [
  { name: 'digits', description: 'pictures of digits, drawn by the program', hasImages: true, classes: 10 },
  { name: 'gaussians', description: 'two classes, drawn by the program', hasImages: false, classes: 2 },
  ...knownSetNames.map((name) => ({ name, description: 'pictures, fetched once', hasImages: true, classes: 10 }))
]
