import type { Stream } from '@libp2p/interface'
import type { ControlChannel } from './control-channel.js'

/** The two streams of a link to a neighbour that has sent a welcome. */
export interface Streams {
  readonly control: ControlChannel
  /** `undefined` where vectors are not allowed. */
  readonly exchange: Stream | undefined
  /** The neighbour's IP address, if it is connected over plain TCP. */
  readonly host: string | undefined
}
