import type { PeerName } from '@murmuration/core'
import type { Message } from '../record.js'
import { Mailbox } from './mailbox.js'
import type { Peer } from './peer.js'
import type { Program } from './program.js'
import { Pushes } from './pushes.js'

/** How long what others have sent before they heard that this peer leaves may take to come, in milliseconds. */
const lastMessages = 1000

/**
 * A peer that leaves hands what leaves its sender for good, such as the mass of push-sum, to the first of these that takes it: after what is still on the
 * way to it has come. To be called between two rounds, when the others have been told that it leaves.
 */
export async function handOver(peer: Peer, program: Program, round: number, to: readonly PeerName[]): Promise<void> {
  const channels = Object.entries(program.channels).flatMap(([name, mailbox]) =>
    mailbox instanceof Mailbox && mailbox.exchange instanceof Pushes
      ? [{ name, mailbox, pushes: mailbox.exchange }]
      : []
  )
  if (channels.length === 0) return
  for (const { pushes } of channels) pushes.drain()
  const until = peer.fabric.now() + lastMessages
  await peer.until({ isDone: () => false, deadline: () => until, outcome: () => {} })
  program.applyLate()
  for (const { name, mailbox } of channels) {
    const fields = Object.keys(program.record.channels[name])
    const message = Object.fromEntries(fields.map((field) => [field, program.state[field]])) as Message
    to.some((other) => mailbox.send({ peer: peer.fabric.self, round, to: [other], from: [] }, message).length === 0)
  }
}
