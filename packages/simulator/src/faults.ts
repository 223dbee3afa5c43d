import { InputError, type Milliseconds, type PeerName, type Random } from '@murmuration/core'

/** What happens to a message. */
export type MessageFate = 'pass' | 'drop' | { readonly delay: Milliseconds }

/** Decides what happens to the messages that it matches. All conditions that are given must hold. */
export interface FaultRule {
  readonly from?: PeerName
  readonly to?: PeerName
  /** Sent at this virtual time or later. */
  readonly after?: Milliseconds
  /** Sent before this time. */
  readonly until?: Milliseconds
  /** The fraction, 0 … 1, of the otherwise matching messages that it decides on; drawn by the seed. */
  readonly fraction?: number
  readonly verdict: MessageFate
}

/** A fault, or its end, at a point in virtual time. */
export type FaultEvent = { readonly at: Milliseconds } & (
  | {
      /**
       * crash: ends silently and loses what it had not sent. restart: begins anew, without state. freeze: neither
       * computes nor answers; what arrives is kept. leave: is told to stop. join: begins only now.
       */
      readonly kind: 'crash' | 'restart' | 'freeze' | 'thaw' | 'leave' | 'join'
      readonly peer: PeerName
    }
  /** Nothing passes between different groups until they heal; a peer in no group is not cut off. */
  | { readonly kind: 'partition'; readonly groups: readonly (readonly PeerName[])[] }
  | { readonly kind: 'heal' }
  /** Nothing passes from one to the other until it is unclogged. */
  | { readonly kind: 'clog' | 'unclog'; readonly from: PeerName; readonly to: PeerName }
  /** From now on a peer's clock runs `factor` times as fast as the others'. */
  | { readonly kind: 'skew'; readonly peer: PeerName; readonly factor: number }
)

/** All faults of a simulation. The first rule that matches a message decides; without one it passes. */
export interface Faults {
  readonly rules: readonly FaultRule[]
  readonly events: readonly FaultEvent[]
}

export const noFaults: Faults = { rules: [], events: [] }

/** The rules' verdict on a message that is sent now. */
export function applyRules(
  rules: readonly FaultRule[],
  from: PeerName,
  to: PeerName,
  now: Milliseconds,
  random: Random
): MessageFate {
  for (const rule of rules) {
    if (rule.from !== undefined && rule.from !== from) continue
    if (rule.to !== undefined && rule.to !== to) continue
    if (now < (rule.after ?? 0) || now >= (rule.until ?? Infinity)) continue
    if (rule.fraction !== undefined && random.uniform() >= rule.fraction) continue
    return rule.verdict
  }
  return 'pass'
}

/** How many faults of each kind to draw, and within what time. */
export interface FaultDraw {
  /** Peers that crash, and restart after up to a tenth of the time. */
  readonly crashes: number
  /** Peers that freeze, and thaw after up to a tenth of the time. */
  readonly freezes: number
  /** How often the peers are split into two halves, which heal after up to a tenth of the time. */
  readonly partitions: number
  /** Connections that are clogged, and unclogged after up to a tenth of the time. */
  readonly clogs: number
  /** All begin within this time. */
  readonly within: Milliseconds
}

/** Draws faults. The same random numbers give the same faults. All of them end by 1.1 times `within`. */
export function drawFaults(random: Random, peers: readonly PeerName[], draw: FaultDraw): Faults {
  if (peers.length < 2) throw new InputError('faults need at least two peers')
  const events: FaultEvent[] = []
  const begin = () => random.uniform() * draw.within
  const length = () => (random.uniform() * draw.within) / 10
  const some = () => peers[random.integer(peers.length)]
  for (let k = 0; k < draw.crashes; k++) {
    const at = begin()
    const peer = some()
    events.push({ at, kind: 'crash', peer }, { at: at + length(), kind: 'restart', peer })
  }
  for (let k = 0; k < draw.freezes; k++) {
    const at = begin()
    const peer = some()
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
