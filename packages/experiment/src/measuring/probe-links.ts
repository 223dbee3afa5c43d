import { byName, type Fabric, type Milliseconds, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'

/** A peer's measurement of its link to another. */
export interface MeasuredLink {
  readonly to: PeerName
  /** The shortest time of a message and its answer. */
  readonly roundTrip: Milliseconds
  /** The rate of vectors in that direction while nothing else is sent, in bits per second. */
  readonly rate: number
}

/** The kinds of messages: a vector that is sent, its answer, and the end of a peer's measurements. */
const probeKind = 0
const answerKind = 1
const endKind = 2
/** The number of round trips that are tried, before and after the vectors. */
const roundTrips = 5
/** The length of the first vector, in numbers: 16 KiB. Each vector is twice as long as the one before. */
const firstLength = 1 << 12
/** The length of the longest vector, in numbers: 2 MiB. */
export const maxLength = 1 << 19
/** How often the longest vector is sent. */
const repeats = 3
/** A vector that takes this long is long enough to measure the rate. */
const enough: Milliseconds = 250
/** The time limit for one link. */
export const linkTimeout: Milliseconds = 30_000

/**
 * Measures the links from this peer to all others; the others do the same. The peers take turns in the order of their
 * names, one link at a time, so that no two measurements share a line. A link without an answer within
 * {@link linkTimeout} is left out; a silent peer's turn lasts as long as its links could take. At most 8 MiB are sent
 * over a link.
 *
 * @param peers - all, including this one
 * @param onLink - called after each link was tried; only with `to` if there was no answer
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
    for (const to of others) prober.send(to, endKind)
  }
  return links
}

/** Answers others, and waits for their answers. */
class LinkProber {
  /** The peers that have measured all their links. */
  readonly ended = new Set<PeerName>()
  readonly #fabric: Fabric<VectorMessage>
  /** All vectors are prefixes of this: random numbers, which nothing on the path can compress. */
  readonly #noise: Float32Array
  /** The number of the last vector that was sent; its answer repeats it. */
  #sequence = 0

  constructor(fabric: Fabric<VectorMessage>) {
    this.#fabric = fabric
    const random = fabric.random.stream('probes')
    this.#noise = new Float32Array(maxLength).map(() => random.uniform())
  }

  send(to: PeerName, kind: number, length = 1, round = 0) {
    return this.#fabric.send(to, { kind, round, vector: this.#noise.subarray(0, length) })
  }

  /**
   * Answers others until `isDone`, which is called first and after each message. Returns whether that happened in time.
   */
  async serve(until: Milliseconds, isDone: (from?: PeerName, message?: VectorMessage) => boolean): Promise<boolean> {
    const fabric = this.#fabric
    if (isDone()) return true
    for (;;) {
      const envelope = await fabric.receive(until)
      if (envelope === undefined) return false
      const { from, message } = envelope
      const { kind, round } = message
      if (kind > endKind) {
        fabric.reject(envelope, `a message of kind ${kind}, which measuring does not use`)
        continue
      }
      if (kind === probeKind) this.send(from, answerKind, 1, round)
      if (kind === endKind) this.ended.add(from)
      const isAll = isDone(from, message)
      fabric.recycle(message)
      if (isAll) return true
    }
  }

  /** `undefined` if answers do not arrive in time. */
  async measure(to: PeerName): Promise<MeasuredLink | undefined> {
    const until = this.#fabric.now() + linkTimeout
    const exchange = (length: number) => this.#exchange(to, length, until)
    const first = await best(roundTrips, () => exchange(1))
    if (first === undefined) return undefined
    for (let length = firstLength; ; length *= 2) {
      const took = await best(length < maxLength ? 1 : repeats, () => exchange(length))
      if (took === undefined) return undefined
      if (took - first < enough && length < maxLength) continue
      // Once more, since both ends are busy at the start.
      const second = await best(roundTrips, () => exchange(1))
      const roundTrip = Math.min(first, second ?? first)
      // The round trip includes a message of one number.
      const bits = 32 * (length - 1)
      return { to, roundTrip, rate: (1000 * bits) / Math.max(took - roundTrip, shortest) }
    }
  }

  /** The time of a vector and its answer. */
  async #exchange(to: PeerName, length: number, until: Milliseconds): Promise<Milliseconds | undefined> {
    const begin = this.#fabric.now()
    const round = ++this.#sequence
    if (this.send(to, probeKind, length, round) !== 'queued') return undefined
    const isAnswer = (from?: PeerName, message?: VectorMessage) =>
      from === to && message?.kind === answerKind && message.round === round
    return (await this.serve(until, isAnswer)) ? this.#fabric.now() - begin : undefined
  }
}

/** A lower limit, since clocks cannot measure such short times. */
const shortest: Milliseconds = 0.1

/** The minimum of several attempts; `undefined` as soon as one fails. */
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
