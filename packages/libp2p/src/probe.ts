import type { Connection, Libp2p } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import type { Milliseconds } from '@murmuration/core'
import { controlProtocol, defaultLimits } from './base/constants.js'
import { type CallProblem, problemOf } from './base/explain.js'
import type { Identity } from './base/identity.js'
import type { NodeOptions } from './node/node.js'

/** The timeout of finding a router and having it forward a port; with a router that takes 6 s. */
export const routerTimeout: Milliseconds = 15_000

/**
 * Dials an address as a peer does, and closes the connection once both ends have proven their ids. Resolves with the
 * problem, or `undefined` when the peer with this id answers and admits `identity`.
 */
export async function probe(
  identity: Identity,
  { id, address }: { readonly id: string; readonly address: string },
  timeout: Milliseconds
): Promise<CallProblem | undefined> {
  const target = address.includes('/p2p/') ? address : `${address}/p2p/${id}`
  return calling(identity, target, timeout, async (connection, signal) => {
    // A refusal shows only here: the other end accepts the connection and then closes it.
    const stream = await connection.newStream(controlProtocol, { signal, runOnLimitedConnection: true })
    stream.abort(new Error('only a probe'))
  })
}

/** As {@link probe}, for a seed, or a peer of the run that acts as one. Throws an InputError for an invalid address. */
export async function probeSeed(
  identity: Identity,
  address: string,
  timeout: Milliseconds
): Promise<CallProblem | undefined> {
  const [{ introductionsProtocol }, { parseAddress }] = await Promise.all([
    import('./discovery/introductions.js'),
    import('./addresses/peer-list.js')
  ])
  parseAddress(address, 'a seed')
  return calling(identity, address, timeout, async (connection, signal) => {
    const stream = await connection.newStream(introductionsProtocol, { signal, runOnLimitedConnection: true })
    stream.abort(new Error('only a probe'))
  })
}

/**
 * As {@link probe}, for a relay. `undefined` when it grants a reservation, which is given up again. Throws an
 * InputError for an invalid address.
 */
export async function probeRelay(
  identity: Identity,
  address: string,
  timeout: Milliseconds
): Promise<CallProblem | undefined> {
  const [{ Circuit }, { parseAddress }] = await Promise.all([
    import('./relay/circuit.js'),
    import('./addresses/peer-list.js')
  ])
  parseAddress(address, 'a relay')
  const circuit = new Circuit(true)
  return calling(identity, address, timeout, (connection) => circuit.reserve(connection, timeout), { circuit })
}

/** A seed's answer about dialling this peer. */
export interface Called {
  /** The IP address from which the seed was asked. */
  readonly host: string
  /** The TCP port at which this peer listened. */
  readonly port: number
  /** Whether the seed has reached it there. */
  readonly isReached: boolean
}

/**
 * Listens as a peer does, and asks a seed to dial. Resolves with the result, or with the reason why it could not be
 * tried. Throws an InputError for an invalid address.
 */
export async function probeReach(
  identity: Identity,
  {
    seed,
    listen,
    upnp = false
  }: { readonly seed: string; readonly listen: readonly string[]; readonly upnp?: boolean },
  timeout: Milliseconds
): Promise<Called | string> {
  const [{ askForCall }, { parseAddress }] = await Promise.all([
    import('./discovery/call-back.js'),
    import('./addresses/peer-list.js')
  ])
  const target = parseAddress(seed, 'a seed')
  let called: Called | undefined
  const problem = await calling(
    identity,
    target.toString(),
    timeout,
    async (connection, _signal, addresses) => {
      const [{ name: family }] = connection.remoteAddr.getComponents()
      const ports = addresses.flatMap((address) => {
        const [host, tcp] = address.getComponents()
        return tcp?.name === 'tcp' && host.name === family ? [Number(tcp.value)] : []
      })
      if (ports.length === 0)
        throw new Error('this peer listens on no TCP port of the IP version with which it reached the seed')
      called = { ...(await askForCall(connection, ports[0], timeout)), port: ports[0] }
    },
    { listen, upnp }
  )
  return called ?? problem?.text ?? 'no answer'
}

/**
 * Makes routers forward a peer's port for a moment. Resolves with the forwarded addresses; with none when no router
 * does it.
 */
export async function probeRouters(identity: Identity, listen: readonly string[]): Promise<readonly string[]> {
  const { createNode, startNode } = await import('./node/node.js')
  const node = await createNode({ identity, listen, limits: defaultLimits, upnp: true })
  try {
    await startNode(node, listen)
    const forwarded = await forwardedTo(node, routerTimeout)
    return forwarded.map((address) => address.toString().replace(/\/p2p\/[^/]+$/, ''))
  } finally {
    await node.stop()
  }
}

/** The addresses at which routers forward a port to a node, as soon as there is one; none after `timeout`. */
async function forwardedTo(node: Libp2p, timeout: Milliseconds): Promise<readonly Multiaddr[]> {
  const initial = new Set(node.getMultiaddrs().map(String))
  const forwarded = () => node.getMultiaddrs().filter((address) => !initial.has(address.toString()))
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, timeout)
    node.addEventListener('self:peer:update', () => {
      if (forwarded().length === 0) return
      clearTimeout(timer)
      resolve()
    })
  })
  return forwarded()
}

/** Dials an address from a temporary node. Resolves with the problem, if any. */
async function calling(
  identity: Identity,
  address: string,
  timeout: Milliseconds,
  act: (connection: Connection, signal: AbortSignal, listening: readonly Multiaddr[]) => Promise<void>,
  { circuit, listen = [], upnp }: Pick<Partial<NodeOptions>, 'circuit' | 'listen' | 'upnp'> = {}
): Promise<CallProblem | undefined> {
  const [{ multiaddr }, { createNode, startNode }] = await Promise.all([
    import('@multiformats/multiaddr'),
    import('./node/node.js')
  ])
  const node = await createNode({ identity, listen, limits: defaultLimits, circuit, upnp })
  try {
    await startNode(node, listen)
    const forwarded = upnp === true ? await forwardedTo(node, routerTimeout) : []
    const signal = AbortSignal.timeout(timeout)
    const connection = await node.dial(multiaddr(address), { signal })
    await act(connection, signal, [...forwarded, ...node.getMultiaddrs()])
    await connection.close()
    return undefined
  } catch (error) {
    return problemOf(error)
  } finally {
    await node.stop()
  }
}
