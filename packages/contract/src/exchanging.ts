import { type Envelope, type Fabric, peerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { timeLimit } from './time-limit.js'

/** The length of the vectors that the suite sends. */
export const vectorLength = 4

/** A vector that contains its round. */
export function message(round: number): VectorMessage {
  return { kind: 1, round, vector: new Float32Array(vectorLength).fill(round) }
}

/** The next message. Throws when none arrives. */
export async function next(fabric: Fabric<VectorMessage>): Promise<Envelope<VectorMessage>> {
  const limit = timeLimit(20_000)
  const envelope = await fabric.receive(fabric.now() + limit)
  if (envelope === undefined) throw new Error(`${fabric.self} received no message within ${limit / 1000} s`)
  return envelope
}

/** Sends as soon as the queue has room. */
export async function sendWithRetry(fabric: Fabric<VectorMessage>, to: string, message: VectorMessage): Promise<void> {
  const limit = timeLimit(10_000)
  const deadline = fabric.now() + limit
  while (fabric.now() < deadline) {
    if (fabric.send(peerName(to), message) === 'queued') return
    await fabric.sleep(fabric.now() + 5)
  }
  throw new Error(`the queue to ${to} stayed full for ${limit / 1000} s`)
}
