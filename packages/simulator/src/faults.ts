import { InputError, type Milliseconds, type PeerName, type Random } from '@murmuration/core'

/** What becomes of a message. */
export type Verdict = 'pass' | 'drop' | { readonly delay: Milliseconds }

/** Says what becomes of the messages that it matches. All conditions that are given must hold. */
export interface Rule {
  readonly from?: PeerName
  readonly to?: PeerName
  /** Sent at this virtual time or later. */
  readonly after?: Milliseconds
  /** Sent before this time. */
  readonly until?: Milliseconds
  /** Of the messages that match otherwise, the fraction that it decides on, 0 … 1; drawn by the seed. */
  readonly fraction?: number
  readonly verdict: Verdict
}

/** Something that goes wrong, or comes right again, at a point in virtual time. */
export type FaultEvent = { readonly at: Milliseconds } & (
  | {
      /**
       * crash: gone without a word, with what it had not sent. restart: begins anew, from nothing. freeze: neither computes nor
       * answers; what arrives is kept. leave: is told to stop. join: begins only now.
       */
      readonly kind: 'crash' | 'restart' | 'freeze' | 'thaw' | 'leave' | 'join'
      readonly peer: PeerName
    }
  /** Nothing passes between different groups until they heal; who is in no group is cut off from nobody. */
  | { readonly kind: 'partition'; readonly groups: readonly (readonly PeerName[])[] }
  | { readonly kind: 'heal' }
  /** Nothing passes from one to the other until it is unclogged. */
  | { readonly kind: 'clog' | 'unclog'; readonly from: PeerName; readonly to: PeerName }
  /** From now on a peer's clock goes `factor` times as fast as the others'. */
  | { readonly kind: 'skew'; readonly peer: PeerName; readonly factor: number }
)

/** All that goes wrong in a simulation. The first rule that matches a message decides; else it passes. */
export interface Faults {
  readonly rules: readonly Rule[]
  readonly events: readonly FaultEvent[]
}

export const noFaults: Faults = { rules: [], events: [] }

/** What the rules say of a message that is sent now. */
export function applyRules(
  rules: readonly Rule[],
  from: PeerName,
  to: PeerName,
  now: Milliseconds,
  random: Random
): Verdict {
  for (const rule of rules) {
    if (rule.from !== undefined && rule.from !== from) continue
    if (rule.to !== undefined && rule.to !== to) continue
    if (now < (rule.after ?? 0) || now >= (rule.until ?? Infinity)) continue
    if (rule.fraction !== undefined && random.uniform() >= rule.fraction) continue
    return rule.verdict
  }
  return 'pass'
}

/** How many faults of each kind to draw, and from what time. */
export interface FaultDraw {
  /** Peers that crash, and start anew after up to a tenth of the time. */
  readonly crashes: number
  /** Peers that freeze, and thaw after up to a tenth of the time. */
  readonly freezes: number
  /** Times at which the peers fall into two halves, and heal after up to a tenth of the time. */
  readonly partitions: number
  /** Connections that are clogged, and unclogged after up to a tenth of the time. */
  readonly clogs: number
  /** All begin within this time. */
  readonly within: Milliseconds
}

/** Draws faults. The same random numbers give the same faults. Everything that begins also ends, by 1.1 times `within`. */
export function drawFaults(random: Random, peers: readonly PeerName[], draw: FaultDraw): Faults {
  if (peers.length < 2) throw new InputError('faults need at least two peers')
  const events: FaultEvent[] = []
  const begin = () => random.uniform() * draw.within
  const length = () => (random.uniform() * draw.within) / 10
  const some = () => peers[random.integer(peers.length)]
  for (let k = 0; k < draw.crashes; k++) {
    const [at, peer] = [begin(), some()]
    events.push({ at, kind: 'crash', peer }, { at: at + length(), kind: 'restart', peer })
  }
  for (let k = 0; k < draw.freezes; k++) {
    const [at, peer] = [begin(), some()]
    events.push({ at, kind: 'freeze', peer }, { at: at + length(), kind: 'thaw', peer })
  }
  for (let k = 0; k < draw.partitions; k++) {
    const order = random.shuffle(peers)
    const half = Math.ceil(peers.length / 2)
    const at = begin()
    events.push({ at, kind: 'partition', groups: [order.slice(0, half), order.slice(half)] })
    events.push({ at: at + length(), kind: 'heal' })
  }
  for (let k = 0; k < draw.clogs; k++) {
    const [from, to] = random.shuffle(peers)
    const at = begin()
    events.push({ at, kind: 'clog', from, to }, { at: at + length(), kind: 'unclog', from, to })
  }
  return { rules: [], events: events.sort((left, right) => left.at - right.at) }
}
