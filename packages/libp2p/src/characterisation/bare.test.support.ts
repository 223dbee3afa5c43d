import '../node/polyfill.js'
import type { Libp2p, Stream } from '@libp2p/interface'
import type { YamuxMuxerInit } from '@libp2p/yamux'
import type { ExecutionContext } from 'ava'
import type { Libp2pOptions } from 'libp2p'
import { multiaddr } from '#platform/libraries/base.js'
import { createLibp2p, noise, tcp, yamux } from '#platform/libraries/network.js'

export const MiB = 1 << 20

const protocol = '/bare/1'

/** Options of a bare node that may differ from libp2p's defaults. */
export interface BareOptions extends Pick<Libp2pOptions, 'connectionManager' | 'connectionMonitor'> {
  readonly stream?: YamuxMuxerInit['streamOptions']
  /** The address of this machine from which it dials. */
  readonly localAddress?: string
}

/** A node with libp2p's defaults and no code of this package, until the test ends. */
export async function bareNode(
  t: Pick<ExecutionContext, 'teardown'>,
  { stream = {}, localAddress, ...others }: BareOptions = {}
): Promise<Libp2p> {
  // The address exists as an option of sockets, though not in libp2p's types.
  const dialOpts = { localAddress, noDelay: true }
  const node = await createLibp2p({
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp({ dialOpts })],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux({ streamOptions: stream })],
    ...others
  })
  t.teardown(() => node.stop())
  return node
}

/** The TCP port at which a node or peer with these addresses listens. */
export function portOf(addresses: readonly { toString(): string }[]): number {
  return Number(/tcp\/(\d+)/.exec(String(addresses[0]))?.[1])
}

/** The two ends of one stream. */
export interface BareStream {
  readonly near: Stream
  readonly far: Stream
}

/** Opens a stream from one bare node to another, which is dialled at `port` if given. */
export async function bareStream(here: Libp2p, there: Libp2p, port?: number): Promise<BareStream> {
  const accepted = new Promise<Stream>((resolve) => void there.handle(protocol, resolve))
  const [own] = there.getMultiaddrs()
  const address = multiaddr(String(own).replace(/tcp\/\d+/, `tcp/${port ?? portOf([own])}`))
  const near = await here.dialProtocol(address, protocol)
  return { near, far: await accepted }
}

/** The two ends of a stream between two new nodes with these options. */
export async function barePair(t: ExecutionContext, here?: BareOptions, there?: BareOptions): Promise<BareStream> {
  return bareStream(await bareNode(t, here), await bareNode(t, there))
}
