import type { Connection, Stream } from '@libp2p/interface'
import type { Milliseconds } from '@murmuration/core'
import { realClock, unref } from '../base/clock.js'
import { defaultLimits } from '../base/constants.js'
import { createNode, startNode } from '../node/node.js'
import { RelayRole } from '../relay/role.js'
import { PendingConnections } from '../node/pending-connections.js'
import { AddressBook } from './address-book.js'
import { callBackProtocol, CallsBack } from './call-back.js'
import { askingBudgets } from '../base/budgets.js'
import { introduce, introductionsProtocol } from './introductions.js'
import { sourceOf } from '../addresses/reach.js'
import type { Seed, SeedOptions } from './seed-options.js'

/** How long a connection without relay use may last: a question takes less. */
const connectionFor: Milliseconds = 30_000

/** See `openSeed`. */
export async function startSeed({ identity, listen, relay: offers }: SeedOptions): Promise<Seed> {
  const limits = defaultLimits
  const pendingConnections = new PendingConnections(
    { isKnownHost: () => false },
    limits.unknownPeerTimeout,
    limits.handshakeTimeout
  )
  const relay = offers && new RelayRole(offers)
  const node = await createNode({ identity, listen, limits, pendingConnections, relay })
  const book = new AddressBook(realClock)
  const budgets = askingBudgets()
  const answer = async (stream: Stream, connection: Connection) => {
    const source = sourceOf(connection.remoteAddr)
    if (!budgets.spend(source)) return connection.abort(new Error('it asks too often'))
    await introduce(book, stream, connection, { source, timeout: limits.handshakeTimeout })
  }
  await node.handle(introductionsProtocol, answer, { maxInboundStreams: 2 })
  const calls = new CallsBack(node)
  const callBack = async (stream: Stream, connection: Connection) => {
    if (!budgets.spend(sourceOf(connection.remoteAddr))) return connection.abort(new Error('it asks too often'))
    await calls.serve(stream, connection, limits.handshakeTimeout)
  }
  await node.handle(callBackProtocol, callBack, { maxInboundStreams: 1 })
  node.addEventListener('connection:open', ({ detail }) => {
    const look = () => {
      if (relay?.isUsed(detail) !== true) return detail.abort(new Error('the connection lasted too long'))
      unref(setTimeout(look, connectionFor))
    }
    unref(setTimeout(look, connectionFor))
  })
  await startNode(node, listen)
  return {
    addresses: node.getMultiaddrs().map(String),
    get known() {
      return book.size
    },
    get reserved() {
      return relay?.reserved ?? 0
    },
    close: async () => void (await node.stop())
  }
}
