/**
 * Repeats the timing of a synchronous algorithm on other links, without computing. The algorithm computes the same
 * values on all links, bit for bit, so its messages are the same too. Their sizes are recorded once; then a run of the
 * same algorithm on a few zeros sends messages of these sizes in the same order.
 */
import { type AnySettings, train } from '@murmuration/algorithms'
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

/**
 * For each pair of sender and receiver, the bytes of each message with its header, and without, in the order of
 * sending.
 */
export type MessageSizes = ReadonlyMap<string, readonly (readonly [bytes: number, payload: number])[]>

/** What is recorded of a run. */
export interface Recording {
  readonly sizes: MessageSizes
  /** Bytes that all peers sent in each round, headers included. */
  readonly bytesByRound: readonly number[]
}

const pairKey = (from: PeerName, to: PeerName) => `${from} ${to}`

/**
 * A wire that records its messages.
 *
 * @param weigh - what a message's body weighs instead of its own bytes, to imitate a larger model
 */
export function recordingWire<W extends Wire<VectorMessage>>(
  wire: W,
  weigh = (bytes: number, _message: VectorMessage): number => bytes
): { wire: W; recording: Recording } {
  const sizes = new Map<string, (readonly [number, number])[]>()
  const bytesByRound: number[] = []
  const link = (from: PeerName, to: PeerName): LinkWire<VectorMessage> => {
    const inner = wire.link?.(from, to) ?? wire
    const list = sizes.get(pairKey(from, to)) ?? []
    sizes.set(pairKey(from, to), list)
    return {
      copy(message) {
        const copy = inner.copy(message)
        const payload = Math.round(weigh(inner.payloadLength(message), message))
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

/** The number of parameters in a replay: enough that none of 256 chunks is empty. */
export const replayLength = 256

/**
 * A wire with the recorded message sizes. Throws an InvariantError for a message that was not recorded: then the
 * algorithm is not synchronous.
 */
export function replayingWire(sizes: MessageSizes): Wire<VectorMessage> {
  const wire = { ...pooledVectorWire(), ...weighed(replayLength) }
  const link = (from: PeerName, to: PeerName): LinkWire<VectorMessage> => {
    const list = sizes.get(pairKey(from, to)) ?? []
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

/** A gradient of zeros, which only takes the time of its cost. */
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
 * When each peer ends each round, in virtual milliseconds: an array for each round, in the order of the topology's
 * peers. The times are those of the recorded algorithm if it is synchronous and no queue overflows.
 *
 * @param schema - the tensors of the zeros, for an algorithm whose messages depend on them; one vector when absent
 */
export async function replayedTimes(
  { sizes }: Pick<Recording, 'sizes'>,
  settings: AnySettings,
  options: Omit<SimulationOptions<VectorMessage>, 'wire'>,
  schema: Schema = [{ name: 'nothing', shape: [replayLength] }]
): Promise<readonly (readonly Milliseconds[])[]> {
  const { peers } = options.topology
  const times = Array.from({ length: settings.rounds }, () => new Array<Milliseconds>(peers.length).fill(Number.NaN))
  await simulate({ ...options, wire: replayingWire(sizes) }, async (fabric) => {
    const index = peers.indexOf(fabric.self)
    for await (const { round } of train(fabric, idleTask(settings.batchSize, schema), settings))
      if (index >= 0) times[round][index] = fabric.now()
  })
  return times
}
