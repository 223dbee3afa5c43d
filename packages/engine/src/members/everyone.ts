import type { Milliseconds, PeerName } from '@murmuration/core'
import type { Endings, Participants, Participation, WaitLimits } from './participants.js'

/** Every wait is one timeout long, or two where nothing at all has arrived. */
const waits: WaitLimits = {
  alone: new Map(),
  // If nothing has arrived, the senders may themselves wait until their timeout for a lost message.
  untilReceived: (_, since, timeout, _now, isSilent) => since + (isSilent ? 2 : 1) * timeout,
  untilReplied: (_, since, timeout, _now, times) => since + times * timeout,
  ended: () => {}
}

/** Peers announce their ends, and report no rounds. */
const endings: Endings = {
  checkEvery: Number.POSITIVE_INFINITY,
  visible: (announcing) => announcing,
  hasEnded: () => false,
  noteProgress: (_, hasReceived) => hasReceived
}

/** Every round begins at once. */
const participation: Participation = {
  life: 1,
  consensus: undefined,
  ready: () => undefined,
  sketch: () => undefined,
  finish: () => undefined
}

/** All peers of a run, where nobody comes or goes: a peer that is lost does not come back. */
export class Everyone implements Participants {
  readonly mayReturn: boolean = false
  readonly waits = waits
  readonly knowledge = { isDead: () => false }

  isGone(_: PeerName): boolean {
    return false
  }

  awake(now: Milliseconds): Milliseconds {
    return now
  }

  endings(_?: number): Endings {
    return endings
  }

  follow(): Participation {
    return participation
  }

  leave(): void {}
}
