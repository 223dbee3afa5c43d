import type { PeerName } from '@murmuration/core'
import type { Message } from '../record/record.js'
import type { Peer } from './peer.js'
import type { Program } from './program.js'

/** How long to wait, in milliseconds, for what others have sent before they learned that this peer leaves. */
const lastMessages = 1000

/**
 * A peer that leaves hands the mass that its messages carry (as in push-sum) to the first of `to` that can be reached,
 * after everything in flight to it has arrived. Call it between two rounds, once the others know that the peer leaves.
 */
export async function handOver(peer: Peer, program: Program, round: number, to: readonly PeerName[]): Promise<void> {
  const channels = program.massChannels
  if (channels.length === 0) return
  peer.edges.leave()
  const until = peer.fabric.now() + lastMessages
  await peer.until({ isDone: () => false, deadline: () => until, outcome: () => {} })
  program.applyLate()
  for (const { name, mailbox } of channels) {
    const fields = Object.keys(program.record.channels[name])
    const message = Object.fromEntries(fields.map((field) => [field, program.state[field]])) as Message
    to.some((other) => mailbox.send({ peer: peer.fabric.self, round, to: [other], from: [] }, message).length === 0)
  }
}
