import { channelsOf } from '#platform/links/channel/channels.js'
import type { Libp2p } from '@libp2p/interface'
import { createRandom } from '@murmuration/random'
import { randomText } from './base/bytes.js'
import { realClock } from './base/clock.js'
import { elementsOf } from './base/run-settings.js'
import { CodecChoice } from './links/codec-choice.js'
import type { Limits } from './base/constants.js'
import type { LinkContext } from './links/context.js'
import { Mailbox } from './vectors/mailbox.js'
import type { Listening } from './links/notes.js'
import type { PeerOptions } from './peer.js'
import type { PeerDirectory } from './addresses/peer-directory.js'
import { SendingTime } from './vectors/sending-time.js'
import { Signal } from './base/signal.js'
import { Turns } from './links/turns.js'
import { VectorPool } from './vectors/vector-pool.js'

/** The context that the sessions of a new peer share. */
export function contextOf(
  { self, seed, runSettings, listen, links, codec = 'float32', relay, onEvent = () => {} }: PeerOptions,
  limits: Limits,
  node: Libp2p,
  directory: PeerDirectory,
  closing: AbortSignal,
  listening: Listening
): LinkContext {
  const elements = elementsOf(runSettings)
  return {
    node,
    self,
    runSettings,
    elements,
    pool: new VectorPool(elements),
    limits,
    codec: new CodecChoice(codec),
    // Not from the seed: another process with the same seed must have another incarnation.
    incarnation: randomText(16),
    turns: new Turns(limits.dialsAtOnce),
    directory,
    // Only libp2p's connections are shaped.
    channels: links === undefined ? channelsOf(listen, limits.handshakeTimeout) : undefined,
    mailbox: new Mailbox(realClock),
    listening,
    sending: new SendingTime(realClock),
    random: createRandom(seed, self),
    closing,
    changed: new Signal(),
    relays: relay?.vectors === true ? { relayVectors: true } : {},
    emit: onEvent
  }
}
