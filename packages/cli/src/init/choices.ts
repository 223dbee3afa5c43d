import { InputError, messageOf, type PeerName, peerName } from '@murmuration/core'
import { maxPeers } from '@murmuration/files'
import { type GraphKind, graphKinds } from '@murmuration/topology'
import { graphText } from '../graphs.js'

/** The choices for the files of a new project. */
export interface InitChoices {
  /** The number of peers on this machine, or the names of machines with a peer each. */
  readonly peers: number | readonly PeerName[]
  /** A kind of graph. */
  readonly graph: string
  /** A kind of task, or the path of a module, relative to the current folder. */
  readonly task: string
  /**
   * The name of a data set, or a path relative to the current folder. Default: the first that the task can learn from.
   */
  readonly data?: string
  /** `equal` (default), `label` or `dirichlet:ALPHA`. */
  readonly partition?: string
  /** The name of an algorithm, or the path of a module, relative to the current folder. */
  readonly algorithm: string
}

/** The kinds of graphs to choose from: all except those that are lists written by hand. */
export const graphs: readonly GraphKind[] = graphKinds.filter((kind: GraphKind) =>
  Object.values(kind.example([peerName('a')])).every((option) => !Array.isArray(option))
)

/** The choices without any options. */
export const defaultChoices: InitChoices = {
  peers: 4,
  graph: 'ring',
  task: 'mlp',
  algorithm: 'dpsgd'
}

/** The options of `murmur init`. */
export interface InitFlags extends Partial<Omit<InitChoices, 'peers'>> {
  readonly peers?: string
  readonly yes?: boolean
}

/** The options, with defaults for missing ones. */
export function choicesOf({ yes: _, peers, ...choices }: InitFlags): InitChoices {
  return { ...defaultChoices, ...choices, ...(peers === undefined ? {} : { peers: peersOf(peers) }) }
}

/** `4`, or `alice, bob`. Throws an InputError with the reason for anything else. */
export function peersOf(text: string): InitChoices['peers'] {
  if (/^\d+$/.test(text)) return Number(text)
  try {
    return text.split(',').map((name) => peerName(name.trim()))
  } catch (error) {
    throw new InputError(`expected a number of peers such as 4, or names such as alice,bob: ${messageOf(error)}`)
  }
}

/** `graph:` in the file: the chosen kind, with options that suit the number of peers. */
export function graphChoice({ graph, peers }: Pick<InitChoices, 'graph' | 'peers'>): string {
  const kind = graphs.find((each) => each.kind === graph)
  return kind === undefined ? graph : graphText(kind, typeof peers === 'number' ? numbered(peers) : peers)
}

function numbered(count: number): readonly PeerName[] {
  return Array.from({ length: Math.min(count, maxPeers) }, (_, index) => peerName(`p${index + 1}`))
}
