import type { Links, Milliseconds, PeerName, Topology } from '@murmuration/core'
import type { Limits } from '../base/constants.js'
import { bytePerMillisecond } from './line.js'
import { capOf } from './route.js'

/**
 * How much longer an operation may take over `links` than over a network that is fast compared with all limits: four
 * round trips, which open a connection, and one frame over lines that are shared with frames to and from all other
 * peers.
 *
 * @param bytes - the size of a frame
 */
export function slownessOf(links: Links, self: PeerName, { peers }: Topology, bytes: number): Milliseconds {
  const others = peers.filter((peer) => peer !== self)
  const times = others.map((other) => {
    const forward = links.path(self, other)
    const backward = links.path(other, self)
    const roundTrip = forward.latency + forward.jitter + backward.latency + backward.jitter
    const lines = [self, other].flatMap((peer) => [links.access(peer).up, links.access(peer).down])
    const fairPart = Math.min(...lines) / bytePerMillisecond / others.length
    return 4 * roundTrip + bytes / Math.min(fairPart, capOf(links, self, other), capOf(links, other, self))
  })
  return Math.ceil(Math.max(0, ...times))
}

/** Limits for links on which operations may take `slowness` longer. */
export function extendedLimits(limits: Limits, slowness: Milliseconds): Limits {
  return {
    ...limits,
    silentAfter: limits.silentAfter + slowness,
    deadAfter: limits.deadAfter + slowness,
    callWait: limits.callWait + slowness,
    dialTimeout: limits.dialTimeout + slowness,
    unknownPeerTimeout: limits.unknownPeerTimeout + slowness,
    handshakeTimeout: limits.handshakeTimeout + slowness,
    closeTimeout: limits.closeTimeout + slowness
  }
}
