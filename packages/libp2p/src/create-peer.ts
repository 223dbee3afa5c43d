import type { Peer, PeerOptions } from './peer.js'

/**
 * Creates a peer that listens. Until `connect` gives it the peer list, it refuses all connections. Rejects with
 * InputErrors, with the reason of its signal, and with an error that `onEvent` throws; then nothing continues to run.
 * The first call loads libp2p: a process that only starts other processes, or checks input, does not need it.
 */
export async function createPeer(options: PeerOptions): Promise<Peer> {
  options.signal?.throwIfAborted()
  const { openPeer } = await import('./open-peer.js')
  return openPeer(options)
}
