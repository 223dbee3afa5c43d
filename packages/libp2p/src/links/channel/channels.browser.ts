/** See channels.ts. */
import { invariant } from '@murmuration/core'
import type { TLSSocket } from 'node:tls'
import type { ChannelListener } from './listener.js'

export function channelsOf(): ChannelListener | undefined {
  return undefined
}

/** Never called: an offer is taken only where {@link channelsOf} gives channels. */
export function dialChannel(): TLSSocket {
  invariant(false, 'a browser has no data channels over TCP')
}
