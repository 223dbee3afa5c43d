import { byName, type Links, NeighboursMissingError, type PeerName, type Topology } from '@murmuration/core'
import { type LinksDescription, readTopologyFile } from '@murmuration/files'
import { createPeer, type RelayOptions, settingsOf } from '@murmuration/libp2p'
import type { RunEvent } from '../base/events.js'
import { linkEvents } from '../peers/reporting/link-events.js'
import { type PlaceOptions, placeOf } from '../training/peer-list.js'
import { linkTimeout, maxLength, type MeasuredLink, probeLinks } from './probe-links.js'

/** The options of this machine's peer for measuring. */
export interface MeasureOptions extends PlaceOptions {
  readonly as: PeerName
  readonly relay?: RelayOptions | undefined
  readonly upnp?: boolean | undefined
  /** How long to wait for the others, in milliseconds. */
  readonly wait: number
  /** The links that shape the connections. */
  readonly links?: Links
  readonly emit: (event: RunEvent) => void
  readonly onLink: Parameters<typeof probeLinks>[2]
  readonly signal: AbortSignal
}

/**
 * Measures the links from this machine's peer to all others of a topology file; the other peers do the same at the same
 * time. Nothing is trained. Rejects with the typed errors of core: an InputError for a file that is wrong, a
 * NeighboursMissingError if some peers are missing after `wait`.
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
    self,
    identity,
    listen,
    topology: completeOf(peers),
    seed: 0,
    links: options.links,
    runSettings: {
      settings: settingsOf({ purpose: 'to measure links' }),
      schema: [{ name: 'probe', shape: [maxLength] }],
      start: ''
    },
    discovery: options.discovery,
    upnp: options.upnp,
    relay: { ...relay, via: [...(relay?.via ?? []), ...relays] },
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
      `no other peer answered within ${linkTimeout / 1000} s; nothing was measured`
    )
  } finally {
    signal.removeEventListener('abort', stop)
    await peer.close()
  }
}

/** A topology in which each peer has all others as neighbours. */
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
 * One peer's measurements as links: its own upload is as fast as its fastest link, the downloads of others are as fast
 * as the rates to them, and the latency is half of the round trip. `measured` must not be empty. `mergeLinks` merges
 * the links of several peers.
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
