import { byName, type Fabric, type Milliseconds, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'

/** What one peer has found of its link to another. */
export interface MeasuredLink {
  readonly to: PeerName
  /** The shortest time of a message there and of its answer back. */
  readonly roundTrip: Milliseconds
  /** How fast vectors go there while nothing else is sent: bits per second. */
  readonly rate: number
}

/** Of a vector that is sent, of its answer, and of the message that says that a peer has measured all. */
const [probeKind, answerKind, endKind] = [0, 1, 2]
/** How many round trips are tried, before and after. */
const roundTrips = 5
/** The first vector, in numbers: 16 KiB. Each is twice as long as the one before. */
const firstLength = 1 << 12
/** The longest vector, in numbers: 2 MiB. */
export const maxLength = 1 << 19
/** How often the longest is sent. */
const repeats = 3
/** A vector that takes so long is long enough to be measured by. */
const enough: Milliseconds = 250
/** How long one link may take. */
export const linkTimeout: Milliseconds = 30_000

/**
 * Measures the links from this peer to all others, while they measure theirs: one peer after the other in the order of names, one link at a time, so that no two
 * share a line. A link on which no answer comes within {@link linkTimeout} is left out, and a peer of which nothing is heard is waited for as long as its links
 * may take. At most 8 MiB go over a link.
 *
 * @param peers - all, this one too
 * @param onLink - told of each link when it was tried; of one without an answer only to whom
 */
export async function probeLinks(
  fabric: Fabric<VectorMessage>,
  peers: readonly PeerName[],
  onLink: (link: Pick<MeasuredLink, 'to'> & Partial<MeasuredLink>) => void = () => {}
): Promise<readonly MeasuredLink[]> {
  const prober = new LinkProber(fabric)
  const links: MeasuredLink[] = []
  const timeout = linkTimeout * (peers.length - 1)
  for (const peer of peers.toSorted(byName)) {
    if (peer !== fabric.self) {
      await prober.serve(fabric.now() + timeout, () => prober.ended.has(peer))
      continue
    }
    const others = peers.filter((name) => name !== peer).toSorted(byName)
    for (const to of others) {
      const link = await prober.measure(to)
      if (link !== undefined) links.push(link)
      onLink(link ?? { to })
    }
    for (const to of others) prober.say(to, endKind)
  }
  return links
}

/** Answers others, and waits for their answers. */
class LinkProber {
  /** Who has measured all. */
  readonly ended = new Set<PeerName>()
  readonly #fabric: Fabric<VectorMessage>
  /** What is sent, or its beginning: numbers that nothing on the way can compress. */
  readonly #noise: Float32Array
  /** Of the last vector that was sent, which its answer names. */
  #sequence = 0

  constructor(fabric: Fabric<VectorMessage>) {
    this.#fabric = fabric
    const random = fabric.random.stream('probes')
    this.#noise = new Float32Array(maxLength).map(() => random.uniform())
  }

  say(to: PeerName, kind: number, length = 1, round = 0) {
    return this.#fabric.send(to, { kind, round, vector: this.#noise.subarray(0, length) })
  }

  /** Answers others until `isDone`, which is asked at first and of each message; whether it was, by then. */
  async serve(until: Milliseconds, isDone: (from?: PeerName, message?: VectorMessage) => boolean): Promise<boolean> {
    const fabric = this.#fabric
    if (isDone()) return true
    for (;;) {
      const envelope = await fabric.receive(until)
      if (envelope === undefined) return false
      const { from, message } = envelope
      const { kind, round } = message
      if (kind > endKind) {
        fabric.reject(envelope, `a message of kind ${kind}, where links are measured`)
        continue
      }
      if (kind === probeKind) this.say(from, answerKind, 1, round)
      if (kind === endKind) this.ended.add(from)
      const isAll = isDone(from, message)
      fabric.recycle(message)
      if (isAll) return true
    }
  }

  /** `undefined` where answers do not come in time. */
  async measure(to: PeerName): Promise<MeasuredLink | undefined> {
    const until = this.#fabric.now() + linkTimeout
    const exchange = (length: number) => this.#exchange(to, length, until)
    const before = await best(roundTrips, () => exchange(1))
    if (before === undefined) return undefined
    for (let length = firstLength; ; length *= 2) {
      const took = await best(length < maxLength ? 1 : repeats, () => exchange(length))
      if (took === undefined) return undefined
      if (took - before < enough && length < maxLength) continue
      // Again, since at first both ends have much to do.
      const after = await best(roundTrips, () => exchange(1))
      const roundTrip = Math.min(before, after ?? before)
      // A message of one number has gone there and back meanwhile.
      const bits = 32 * (length - 1)
      return { to, roundTrip, rate: (1000 * bits) / Math.max(took - roundTrip, shortest) }
    }
  }

  /** How long a vector takes there, and its answer back. */
  async #exchange(to: PeerName, length: number, until: Milliseconds): Promise<Milliseconds | undefined> {
    const begin = this.#fabric.now()
    const round = ++this.#sequence
    if (this.say(to, probeKind, length, round) !== 'queued') return undefined
    const isAnswer = (from?: PeerName, message?: VectorMessage) =>
      from === to && message?.kind === answerKind && message.round === round
    return (await this.serve(until, isAnswer)) ? this.#fabric.now() - begin : undefined
  }
}

/** No clock tells shorter times of such vectors apart. */
const shortest: Milliseconds = 0.1

/** The least of some tries; `undefined` once one fails. */
async function best(
  count: number,
  attempt: () => Promise<Milliseconds | undefined>
): Promise<Milliseconds | undefined> {
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < count; time++) {
    const took = await attempt()
    if (took === undefined) return undefined
    least = Math.min(least, took)
  }
  return least
}
