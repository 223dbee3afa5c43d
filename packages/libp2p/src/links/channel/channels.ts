/** Data channels beside libp2p, over TCP. `channels.browser.ts` has the same for a page, where there are none. */
import type { Milliseconds } from '@murmuration/core'
import { ChannelListener } from './listener.js'

export { dialChannel } from './dial.js'

/** Accepts data channels at the addresses where libp2p listens; see {@link ChannelListener}. */
export function channelsOf(listen: readonly string[], timeout: Milliseconds): ChannelListener | undefined {
  return new ChannelListener(listen, timeout)
}
