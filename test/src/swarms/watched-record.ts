/** An algorithm that reports what it mixes. */
import {
  type Algorithm,
  type Collected,
  edgeWeight,
  type Message,
  type Mixing,
  type Vector
} from '@murmuration/algorithms'
import { type PeerName, peerName } from '@murmuration/core'
import type { VectorUse } from './books.js'

/** Is notified of what an algorithm does. Numbers are valid until it returns. */
export interface RecordListener {
  /** A life begins with these values. */
  began(x: Float32Array): void
  /** The results of a round's messages, to be mixed with the weights of W. */
  mixes(W: Mixing, uses: readonly VectorUse[]): void
  /** A result that is applied late. */
  late(use: VectorUse): void
}

/** The channel of D-PSGD and of the trimmed mean. */
const channel = 'model'

interface VectorSender {
  send(W: Mixing, message: Message): readonly PeerName[]
  collect(W: Mixing): Promise<Collected<Message>>
}

/** Whether {@link watched} can watch it: exchanges by rounds. For other algorithms the sums are checked at the end. */
export const isExchanging = ({ channels }: Algorithm) => channel in channels

/** @param record - one that sends `x` along the edges of a round's mixing, on a channel called model */
export function watched(record: Algorithm, listener: RecordListener): Algorithm {
  const late = record.edges?.[channel]
  return {
    ...record,
    edges: {
      [channel]:
        typeof late !== 'function'
          ? 'dropped'
          : (state, flow, options) => {
              listener.late({ ...flow, mine: valuesOf(flow.mine), theirs: valuesOf(flow.theirs) })
              return late(state, flow, options)
            }
    },
    start(origin, node) {
      listener.began(origin.x.values)
      return record.start(origin, node)
    },
    round(node, state, k) {
      const own = watchedChannel((node as unknown as Record<string, VectorSender>)[channel], listener)
      return record.round?.(withChannel(node, own), state, k) ?? Promise.resolve()
    }
  }
}

/** The node with another {@link channel}. Its methods still use the original node as `this`. */
function withChannel<N extends object>(node: N, own: VectorSender): N {
  const get = (of: N, name: string | symbol): unknown => {
    if (name === channel) return own
    const found: unknown = Reflect.get(of, name)
    return typeof found === 'function' ? (found.bind(of) as unknown) : found
  }
  return new Proxy(node, { get })
}

function watchedChannel(given: VectorSender, listener: RecordListener): VectorSender {
  let mine: Message | undefined
  return {
    send(W, message) {
      mine = message
      return given.send(W, message)
    },
    async collect(W) {
      const theirs = await given.collect(W)
      const own = valuesOf(mine ?? {})
      const uses = Object.entries(theirs).flatMap(([name, message]): readonly VectorUse[] => {
        const from = peerName(name)
        if (message === undefined) return []
        return [{ from, round: W.round, weight: edgeWeight(W, from, theirs), mine: own, theirs: valuesOf(message) }]
      })
      listener.mixes(W, uses)
      return theirs
    }
  }
}

function valuesOf(message: Message): Float32Array {
  return (message.x as Vector).values
}
