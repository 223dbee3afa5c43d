/**
 * The timing of a synchronous algorithm, again on other links without its numbers. What it computes is the same on all of them, bit for bit, and so are
 * its messages: their sizes are recorded once, and a run of the same algorithm on a few zeros sends messages of those sizes, in the same order.
 */
import { train, type TrainingSettings } from '@murmuration/algorithms'
import {
  invariant,
  type LinkWire,
  type Milliseconds,
  type PeerName,
  type Schema,
  type Task,
  type Wire
} from '@murmuration/core'
import { simulate, type SimulationOptions } from '@murmuration/simulator'
import { lengthOf } from '@murmuration/vectors'
import { frameHeaderLength, framesOf, pooledVectorWire, type VectorMessage, weighed } from '@murmuration/wire'

/** Bytes of each message with its header, and without, in the order of sending; by sender and receiver. */
export type MessageSizes = ReadonlyMap<string, readonly (readonly [bytes: number, payload: number])[]>

/** What was recorded of a run. */
export interface Recording {
  readonly sizes: MessageSizes
  /** Bytes that all peers sent in each round, headers included. */
  readonly bytesByRound: readonly number[]
}

const between = (from: PeerName, to: PeerName) => `${from} ${to}`

/**
 * A wire that records what goes over it.
 *
 * @param factor - how many times as heavy the bodies are as they would be: for the traffic of a larger model; 1 when absent
 */
export function recordingWire<W extends Wire<VectorMessage>>(wire: W, factor = 1): { wire: W; recording: Recording } {
  const sizes = new Map<string, (readonly [number, number])[]>()
  const bytesByRound: number[] = []
  const link = (from: PeerName, to: PeerName): LinkWire<VectorMessage> => {
    const inner = wire.link?.(from, to) ?? wire
    const list = sizes.get(between(from, to)) ?? []
    sizes.set(between(from, to), list)
    return {
      copy(message) {
        const copy = inner.copy(message)
        const payload = Math.round(inner.payloadLength(message) * factor)
        const bytes = framesOf(message.vector.length) * frameHeaderLength + payload
        list.push([bytes, payload])
        bytesByRound[message.round] = (bytesByRound[message.round] ?? 0) + bytes
        return copy
      },
      byteLength: () => (list.at(-1) as readonly [number, number])[0],
      payloadLength: () => (list.at(-1) as readonly [number, number])[1]
    }
  }
  return { wire: { ...wire, link }, recording: { sizes, bytesByRound } }
}

/** How many parameters a replay has: enough that none of 256 parts of them is empty. */
export const replayLength = 256

/** A wire whose messages weigh what was recorded. Throws an InvariantError for one that was not: then the algorithm is not synchronous. */
export function replayingWire(sizes: MessageSizes): Wire<VectorMessage> {
  const wire = { ...pooledVectorWire(), ...weighed(replayLength) }
  const link = (from: PeerName, to: PeerName): LinkWire<VectorMessage> => {
    const list = sizes.get(between(from, to)) ?? []
    let next = -1
    const nth = () => {
      invariant(next < list.length, () => `message ${next + 1} from ${from} to ${to} was not recorded`)
      return list[next]
    }
    return {
      copy(message) {
        next++
        return wire.copy(message)
      },
      byteLength: () => nth()[0],
      payloadLength: () => nth()[1]
    }
  }
  return { ...wire, link }
}

/** A gradient of zeros, which takes the time that the cost says and no more. */
function idleTask(samples: number, schema: Schema): Task {
  const vector = new Float32Array(lengthOf(schema))
  return {
    schema,
    samples,
    about: {},
    initialise: () => ({ kind: 'initialise', samples: 0, run: () => new Float32Array(vector.length) }),
    gradient: (_, { length }) => ({ kind: 'gradient', samples: length, run: () => ({ loss: 0, vector }) }),
    evaluate: () => ({ kind: 'evaluate', samples: 0, run: () => ({ loss: 0 }) })
  }
}

/**
 * When each peer ends each round, in virtual milliseconds: by round, and in it in the order of the topology's peers. The same as with the numbers that
 * were recorded, where the algorithm is synchronous and no queue overflows.
 *
 * @param schema - the tensors of the zeros, for an algorithm whose messages depend on them; a vector when absent
 */
export async function replayedTimes(
  { sizes }: Pick<Recording, 'sizes'>,
  settings: TrainingSettings,
  options: Omit<SimulationOptions<VectorMessage>, 'wire'>,
  schema: Schema = [{ name: 'nothing', shape: [replayLength] }]
): Promise<readonly (readonly Milliseconds[])[]> {
  const { peers } = options.topology
  const times = Array.from({ length: settings.rounds }, () => new Array<Milliseconds>(peers.length).fill(Number.NaN))
  await simulate({ ...options, wire: replayingWire(sizes) }, async (fabric) => {
    const place = peers.indexOf(fabric.self)
    for await (const { round } of train(fabric, idleTask(settings.batchSize, schema), settings))
      if (place >= 0) times[round][place] = fabric.now()
  })
  return times
}
