import type { Connection } from '@libp2p/interface'
import type { Milliseconds } from '@murmuration/core'
import { controlProtocol, defaultLimits } from './constants.js'
import { explain } from './explain.js'
import type { Identity } from './identity.js'

/**
 * Calls an address as a peer does, and hangs up once both ends have proven who they are. Resolves with what is wrong, in words; with nothing
 * where the peer with this id is there and lets `identity` in.
 */
export async function probe(
  identity: Identity,
  { id, address }: { readonly id: string; readonly address: string },
  timeout: Milliseconds
): Promise<string | undefined> {
  const place = address.includes('/p2p/') ? address : `${address}/p2p/${id}`
  return calling(identity, place, timeout, async (connection, signal) => {
    // Who is not let in learns it only here: the other end closes a connection that is built.
    const stream = await connection.newStream(controlProtocol, { signal, runOnLimitedConnection: true })
    stream.abort(new Error('only a probe'))
  })
}

/** As {@link probe}, of whoever introduces peers at an address: a seed, or a peer of the run. Throws an InputError for an address that is none. */
export async function probeSeed(
  identity: Identity,
  address: string,
  timeout: Milliseconds
): Promise<string | undefined> {
  const [{ introductionsProtocol }, { parseAddress }] = await Promise.all([
    import('./discovery/introductions.js'),
    import('./peer-list.js')
  ])
  parseAddress(address, 'a seed')
  return calling(identity, address, timeout, async (connection, signal) => {
    const stream = await connection.newStream(introductionsProtocol, { signal, runOnLimitedConnection: true })
    stream.abort(new Error('only a probe'))
  })
}

async function calling(
  identity: Identity,
  address: string,
  timeout: Milliseconds,
  act: (connection: Connection, signal: AbortSignal) => Promise<void>
): Promise<string | undefined> {
  const [{ multiaddr }, { createNode }] = await Promise.all([import('@multiformats/multiaddr'), import('./node.js')])
  const node = await createNode({ identity, listen: [], limits: defaultLimits })
  try {
    await node.start()
    const signal = AbortSignal.timeout(timeout)
    const connection = await node.dial(multiaddr(address), { signal })
    await act(connection, signal)
    await connection.close()
    return undefined
  } catch (error) {
    return explain(error)
  } finally {
    await node.stop()
  }
}
