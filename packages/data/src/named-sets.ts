import { knownSetNames, type KnownSetName } from './files/known-sets.js'
import { sentenceAlphabet } from './text/sentences.js'

/** The content of a data set, as far as a task may require it. */
export interface DataTraits {
  /** Whether a sample is an image: its numbers have rows and columns. */
  readonly hasImages: boolean
  /** Whether a sample is a window of a text: its numbers are characters, and its targets the next ones. */
  readonly isText: boolean
  readonly classes: number
}

/** A data set that files name by one word. */
export interface NamedSet extends DataTraits {
  readonly name: string
  /** Its origin, in a few words. */
  readonly description: string
}

const ofImages = { hasImages: true, isText: false, classes: 10 }
const ofText = { hasImages: false, isText: true }

/** All data sets that files name by one word. */
export const namedSets: readonly NamedSet[] = [
  { name: 'digits', description: 'images of digits, drawn by the program', ...ofImages },
  {
    name: 'gaussians',
    description: 'two classes, drawn by the program',
    hasImages: false,
    isText: false,
    classes: 2
  },
  {
    name: 'sentences',
    description: 'a text of short sentences, drawn by the program',
    ...ofText,
    classes: sentenceAlphabet.length
  },
  ...knownSetNames.map((name) => ({ name, ...knownTraits(name) }))
]

function knownTraits(name: KnownSetName): Omit<NamedSet, 'name'> {
  if (name === 'tiny-shakespeare') return { description: 'a text, fetched once', ...ofText, classes: 65 }
  return { description: 'images, fetched once', ...ofImages }
}
