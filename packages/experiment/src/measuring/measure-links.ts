import { byName, type Links, NeighboursMissingError, type PeerName, type Topology } from '@murmuration/core'
import { type LinksDescription, readTopologyFile } from '@murmuration/files'
import { createPeer, type RelayOptions, settingsOf } from '@murmuration/libp2p'
import type { RunEvent } from '../events.js'
import { linkEvents } from '../peers/link-events.js'
import { type PlaceOptions, placeOf } from '../peers/peer-list.js'
import { linkTimeout, maxLength, type MeasuredLink, probeLinks } from './probe-links.js'

/** How this machine's peer measures its links. */
export interface MeasureOptions extends PlaceOptions {
  readonly as: PeerName
  readonly relay?: RelayOptions | undefined
  readonly upnp?: boolean | undefined
  /** How long to wait for the others, in milliseconds. */
  readonly wait: number
  /** The links to shape the connections by. */
  readonly links?: Links
  readonly emit: (event: RunEvent) => void
  readonly onLink: Parameters<typeof probeLinks>[2]
  readonly signal: AbortSignal
}

/**
 * Measures the links from this machine's peer to all others of a topology file, whose peers do the same meanwhile. Nothing is trained. Rejects with the typed
 * errors of core: an InputError for a file that is wrong, a NeighboursMissingError where not all others are there by `wait`.
 */
export async function measureLinks(path: string, options: MeasureOptions): Promise<LinksDescription> {
  const { as: self, relay, signal, emit } = options
  const { identity, listen, peerList, relays } = await placeOf(
    { path, file: await readTopologyFile(path) },
    self,
    options
  )
  const peers = peerList.map(({ name }) => name)
  const peer = await createPeer({
    ...{ self, identity, listen, topology: completeOf(peers), seed: 0, links: options.links },
    runSettings: {
      settings: settingsOf({ purpose: 'to measure links' }),
      schema: [{ name: 'probe', shape: [maxLength] }],
      start: ''
    },
    ...{
      discovery: options.discovery,
      upnp: options.upnp,
      relay: { ...relay, via: [...(relay?.via ?? []), ...relays] }
    },
    onEvent: linkEvents(self, emit)
  })
  const stop = () => peer.stop()
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    await peer.connect(peerList, options.wait)
    const measured = await probeLinks(peer.fabric, peers, options.onLink)
    if (measured.length > 0) return linksFrom(self, measured)
    throw new NeighboursMissingError(
      peers,
      `no other peer has answered within ${linkTimeout / 1000} s, so that nothing was measured`
    )
  } finally {
    signal.removeEventListener('abort', stop)
    await peer.close()
  }
}

/** Everybody's neighbours are all others. */
function completeOf(names: readonly PeerName[]): Topology {
  const peers = names.toSorted(byName)
  const weight = 1 / peers.length
  const mixing = (self: PeerName) => {
    const others = peers.filter((name) => name !== self).map((name) => ({ name, weight }))
    return { selfWeight: weight, receiveFrom: others, sendTo: others }
  }
  return { peers, period: 1, mixing }
}

/**
 * What a peer has measured, as links: its own line up is as fast as its fastest link, the lines down of others are as fast as what reached them, and each way has
 * half the round trip. `measured` has at least one. The links of several peers are put together by `mergeLinks`.
 */
export function linksFrom(self: PeerName, measured: readonly MeasuredLink[]): LinksDescription {
  const links = measured.map(({ rate, ...link }) => ({ ...link, rate: Number(rate.toPrecision(4)) }))
  const up = Math.max(...links.map(({ rate }) => rate))
  const others = Object.fromEntries(links.map(({ to, rate }) => [to, { down: rate }]))
  const pairs = links.map(({ to, rate, roundTrip }) => {
    const between: [string, string] = [self, to]
    return { between, latency: Number((roundTrip / 2).toFixed(3)), bandwidth: rate }
  })
  return { peers: { [self]: { up }, ...others }, pairs }
}
