import { InputError, messageOf, type PeerName, peerName } from '@murmuration/core'

/** What the files of a new project say. */
export interface InitChoices {
  /** How many peers on this machine, or the names of machines with a peer each. */
  readonly peers: number | readonly PeerName[]
  readonly graph: GraphWord
  /** `mlp`, `cnn`, `softmax`, or the path of a module, from the current folder. */
  readonly task: string
  /** `digits`, the name of a known data set, or a path from the current folder. */
  readonly data: string
  /** The name of an algorithm, or the path of a module, from the current folder. */
  readonly algorithm: string
}

/** The graphs to choose from, and who averages with whom on each. A topology file knows more. */
export const graphs = {
  'ring': 'each with two neighbours',
  'complete': 'each with all others',
  'star': 'all with the first',
  'torus': 'a grid without borders: each with four neighbours',
  'hypercube': 'each with log₂ n neighbours; the number of peers is a power of two',
  'exponential': 'each with about log₂ n peers at distances 1, 2, 4, …',
  'one-peer-exponential': 'each with one peer per round, at distances 1, 2, 4, … in turn',
  'random-regular': 'each with four random neighbours'
} as const

/** A graph to choose. */
export type GraphWord = keyof typeof graphs

export const graphWords = Object.keys(graphs) as readonly GraphWord[]

/** The models to choose from, and what each is. */
export const models = {
  mlp: 'a small network, 128 hidden units',
  cnn: 'a small convolutional network',
  softmax: 'a linear classifier'
} as const

/** What is chosen where nothing is said. */
export const defaultChoices: InitChoices = {
  peers: 4,
  graph: 'ring',
  task: 'mlp',
  data: 'digits',
  algorithm: 'dpsgd'
}

/** The options of `murmur init`. */
export interface InitFlags extends Partial<Omit<InitChoices, 'peers'>> {
  readonly peers?: string
  readonly yes?: boolean
}

/** What options say, and the defaults where they say nothing. */
export function choicesOf({ yes: _, peers, ...choices }: InitFlags): InitChoices {
  return { ...defaultChoices, ...choices, ...(peers === undefined ? {} : { peers: peersOf(peers) }) }
}

/** `4`, or `alice, bob`. Throws an InputError that says what is wrong with anything else. */
export function peersOf(text: string): InitChoices['peers'] {
  if (/^\d+$/.test(text)) return Number(text)
  try {
    return text.split(',').map((name) => peerName(name.trim()))
  } catch (error) {
    throw new InputError(`expected how many peers, such as 4, or names such as alice,bob: ${messageOf(error)}`)
  }
}
