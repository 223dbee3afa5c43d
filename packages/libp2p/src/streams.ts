import type { Stream } from '@libp2p/interface'
import type { ControlChannel } from './control-channel.js'

/** The two streams of a link to a neighbour that has sent a welcome. */
export interface Streams {
  readonly control: ControlChannel
  /** Absent where no vectors may go. */
  readonly exchange: Stream | undefined
  /** The neighbour's IP address, if it is at the other end of a plain TCP connection. */
  readonly host: string | undefined
}
