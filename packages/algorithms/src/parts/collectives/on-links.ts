/** What the words of collectives' options stand for on the links between all peers: trees, orders, predicted times. */
import { byName, InputError, type Links, type PeerName, type Topology } from '@murmuration/core'
import {
  chainOrder,
  packAllReduce,
  packBroadcast,
  type PackedTree,
  predictChain,
  predictDirect,
  type PredictedTime,
  predictHalvingDoubling,
  predictRing,
  predictTrees,
  ringOrder,
  type TreePacking
} from '@murmuration/topology'
import {
  broadcastNames,
  type CollectiveCandidate,
  type CollectiveChoice,
  meanNames,
  type MeanName,
  type Order,
  quantisedNames,
  usualChunks
} from './options.js'

type Peers = readonly PeerName[]

interface Words {
  readonly collective: CollectiveChoice<string>
  readonly order?: Order
  readonly chunks?: number
}

/** What a word stands for; nothing where it stays a word. */
interface Meaning {
  readonly order?: readonly string[] | undefined
  readonly collective?:
    | {
        readonly trees?: readonly PackedTree[] | undefined
        readonly candidates?: readonly CollectiveCandidate[] | undefined
      }
    | undefined
}

/** A mean or a broadcast on given links. */
interface LinkedCollective {
  /** The collectives that are predicted. */
  readonly predicted: readonly string[]
  /** The collective that has an order. */
  readonly ordered: string
  /** The order that needs no links. */
  readonly usualOrder: Peers
  bestOrder(): Peers
  pack(): TreePacking
  /** All but trees, the usual collective first; in so many chunks. */
  predict(order: Peers, chunks: number): readonly CollectiveCandidate[]
}

/**
 * What the words `links`, `trees` and `auto` stand for on these links, for a mean over all peers. An order of names
 * stays a word: it needs no links, so peers with and without them fit together.
 *
 * @param among - the collectives that `auto` chooses from
 * @throws InputError for trees where no line has a bandwidth, and for a list of other peers than there are
 */
export function collectiveOn(
  topology: Pick<Topology, 'peers'>,
  links: Links | undefined,
  words: Words,
  among: readonly MeanName[] = meanNames
): Meaning {
  return meaningOf(topology, links, words, (peers, known) => ({
    predicted: among,
    ordered: 'ring',
    usualOrder: peers,
    bestOrder: () => ringOrder(peers, known),
    pack: () => packAllReduce(peers, known),
    predict: (order, chunks) => {
      const times: Readonly<Record<Exclude<MeanName, 'trees'>, () => PredictedTime>> = {
        'ring': () => predictRing(order, known, chunks),
        'halving-doubling': () => predictHalvingDoubling(peers, known),
        // In few bits a segment is a single message.
        'direct': () => predictDirect(peers, known, among === quantisedNames ? 1 : chunks)
      }
      return among.flatMap((name) => (name === 'trees' ? [] : [{ name, chunks, time: times[name]() }]))
    }
  }))
}

/**
 * The same for a broadcast.
 *
 * @param root - the rank that sends, in the order of names
 */
export function broadcastOn(
  topology: Pick<Topology, 'peers'>,
  links: Links | undefined,
  words: Words,
  root = 0
): Meaning {
  return meaningOf(topology, links, words, (peers, known) => ({
    predicted: broadcastNames,
    ordered: 'chain',
    usualOrder: from(root, peers),
    bestOrder: () => chainOrder(peers, known, peers[root]),
    pack: () => packBroadcast(peers, known, peers[root]),
    predict: (order, chunks) => {
      const time = predictChain(from(order.indexOf(peers[root]), order), known, chunks)
      return [{ name: broadcastNames[0], chunks, time }]
    }
  }))
}

/** A list that begins at an index and goes round. */
function from(index: number, peers: Peers): Peers {
  return [...peers.slice(index), ...peers.slice(0, index)]
}

function meaningOf(
  { peers: unsorted }: Pick<Topology, 'peers'>,
  links: Links | undefined,
  { collective, order = 'names', chunks = usualChunks }: Words,
  kindOn: (peers: Peers, links: Links) => LinkedCollective
): Meaning {
  const peers = [...unsorted].sort(byName)
  if (typeof order !== 'string') checkOrder(order, peers)
  if (peers.length === 1) return {}
  if (links === undefined) {
    if (collective === 'trees') throw noTrees()
    return {}
  }
  const kind = kindOn(peers, links)
  const hasOrder = collective === kind.ordered || collective === 'auto'
  const isFollowed = hasOrder && order === 'links'
  const inOrder = isFollowed ? kind.bestOrder() : typeof order === 'string' ? kind.usualOrder : peersIn(order, peers)
  const isUsual = inOrder.every((name, index) => name === kind.usualOrder[index])
  const meaning = isFollowed && !isUsual ? { order: inOrder } : {}
  if (collective !== 'trees' && collective !== 'auto') return meaning
  if (collective === 'trees' && peers.length > maxPacked)
    throw new InputError(
      `collective: found trees between ${peers.length} peers, expected at most ${maxPacked}; choose auto or ring`
    )
  const all = [kind.ordered, kind.usualOrder, inOrder, collective, chunks, kind.predicted, factsOf(peers, links)]
  return remembered(JSON.stringify(all), () => {
    const { trees, rate } = peers.length > maxPacked ? noPacking : kind.pack()
    const packed = rate < Number.POSITIVE_INFINITY ? { trees } : {}
    // Times follow from rates; without any, auto stays the usual collective.
    if (collective === 'auto' && packed.trees === undefined) return meaning
    if (collective === 'auto')
      return {
        ...meaning,
        collective: {
          ...packed,
          candidates: candidatesOf(kind, inOrder, { peers, links, trees: packed.trees, chunks })
        }
      }
    if (packed.trees === undefined) throw noTrees()
    return { collective: packed }
  })
}

/** Packing takes the longer, the more peers there are: some seconds for so many. */
const maxPacked = 64
const noPacking = { trees: [], rate: Number.POSITIVE_INFINITY }

function candidatesOf(
  kind: LinkedCollective,
  order: Peers,
  on: {
    readonly peers: Peers
    readonly links: Links
    readonly trees: readonly PackedTree[] | undefined
    readonly chunks: number
  }
): readonly CollectiveCandidate[] {
  const { peers, links, trees, chunks } = on
  const alongTrees = (count: number) =>
    trees === undefined ? [] : [{ name: 'trees', chunks: count, time: predictTrees(peers, links, trees, count) }]
  const usual = [...kind.predict(order, chunks), ...alongTrees(chunks * peers.length)]
  if (chunks === 1) return usual
  // Of a short vector many chunks are little more than headers.
  const whole = [...kind.predict(order, 1), ...alongTrees(1)].filter(({ name }) => name !== 'halving-doubling')
  return [...usual, ...whole.map((each) => ({ ...each, time: withMargin(each.time) }))]
}

/** How much faster a vector in one piece must seem to be: its predicted time may be a few per cent too short. */
const margin = 1.05

function withMargin(times: PredictedTime): PredictedTime {
  return times.map(({ bytes, time }) => ({ bytes, time: margin * time }))
}

function factsOf(peers: Peers, links: Links): unknown {
  return peers.map((from) => [links.access(from), peers.map((to) => (from === to ? 0 : links.path(from, to)))])
}

/** The last meanings: programs that compare plans ask for the same again and again. */
const meanings = new Map<string, Meaning>()
const maxMeanings = 8

function remembered(key: string, find: () => Meaning): Meaning {
  const known = meanings.get(key) ?? find()
  meanings.delete(key)
  meanings.set(key, known)
  const [oldest] = meanings.keys()
  if (meanings.size > maxMeanings) meanings.delete(oldest)
  return known
}

function peersIn(order: readonly string[], peers: Peers): Peers {
  return (order as Peers).filter((name) => peers.includes(name))
}

function checkOrder(order: readonly string[], peers: Peers): void {
  // Those that are left of a run need not have the names of the others taken out.
  if (new Set(order).size === order.length && peers.every((name) => order.includes(name))) return
  throw new InputError(`order: found ${order.join(', ')}, expected each peer once: ${peers.join(', ')}`)
}

function noTrees(): InputError {
  return new InputError(
    'collective: found trees, expected links with a bandwidth; add links to the topology, or choose auto or ring'
  )
}
