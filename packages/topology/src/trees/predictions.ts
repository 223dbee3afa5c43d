/**
 * What collectives take on given links. A part of a step counts the bytes on every line, as far as all hops send at
 * once, and the way of a single chunk, whichever is longer.
 */
import type { Links, Milliseconds, PeerName } from '@murmuration/core'
import type { PackedTree } from './packed-tree.js'
import type { LinearTime, PredictedTime } from './predicted-time.js'
import { linesOf, type SharedLines } from './shared-lines.js'

/** How many chunks each tree has, in proportion to its weight and at least one: about `chunks` together. */
export function chunksOf(trees: readonly PackedTree[], chunks: number): readonly number[] {
  const total = trees.reduce((sum, { weight }) => sum + weight, 0)
  return trees.map(({ weight }) => Math.max(1, Math.round((chunks * weight) / total)))
}

/** Bytes of a message beside its numbers: the header of a frame. */
const header = 40

/** What all hops of a collective, or of one step, put on the lines. */
class Traffic {
  readonly #lines: SharedLines
  readonly #links: Links
  /** Fractions of the vector, and messages. */
  readonly #loads: Float64Array
  readonly #messages: Float64Array
  /** The longest way of a single chunk that passes through a line. */
  readonly #ways: LinearTime[]

  constructor(peers: readonly PeerName[], links: Links, lines = linesOf(peers, links)) {
    this.#lines = lines
    this.#links = links
    this.#loads = new Float64Array(lines.rates.length)
    this.#messages = new Float64Array(lines.rates.length)
    this.#ways = lines.rates.map(() => noTime)
  }

  /** The same lines without traffic. */
  anew(): Traffic {
    return new Traffic(this.#lines.peers, this.#links, this.#lines)
  }

  /** Lets a chunk's way pass through the lines of a hop. */
  through(from: number, to: number, way: LinearTime): void {
    for (const line of this.#lines.uses[from][to] ?? []) this.#ways[line] = longestOf([this.#ways[line], way])
  }

  add(from: number, to: number, fraction: number, messages: number): void {
    for (const line of this.#lines.uses[from][to] ?? []) {
      this.#loads[line] += fraction
      this.#messages[line] += messages
    }
  }

  /** What both put on the lines; the ways are those of the second. */
  plus(other: Traffic): Traffic {
    const both = this.anew()
    for (const line of both.#loads.keys()) {
      both.#loads[line] = this.#loads[line] + other.#loads[line]
      both.#messages[line] = this.#messages[line] + other.#messages[line]
      both.#ways[line] = other.#ways[line]
    }
    return both
  }

  latency(from: number, to: number): Milliseconds {
    const { latency, jitter } = this.#links.path(this.#lines.peers[from], this.#lines.peers[to])
    return latency + jitter / 2
  }

  /** The time that each line takes for all that passes through it, besides what `rest` and the way of a chunk take. */
  busy(rest: LinearTime): LinearTime[] {
    return this.#lines.rates.map((rate, line) => ({
      latency: rest.latency + this.#ways[line].latency + (8000 * header * this.#messages[line]) / rate,
      perByte: rest.perByte + this.#ways[line].perByte + (8000 * this.#loads[line]) / rate
    }))
  }

  /**
   * The time of one message with a fraction of the vector.
   *
   * @param sharing - how many hops send at once on each line, at least this one
   */
  message(from: number, to: number, fraction: number, sharing: readonly number[] = []): LinearTime {
    const { rates, uses } = this.#lines
    const perByte = Math.max(0, ...(uses[from][to] ?? []).map((line) => (8000 * (sharing[line] ?? 1)) / rates[line]))
    return { latency: this.latency(from, to) + perByte * header, perByte: perByte * fraction }
  }

  /** How many messages pass through each line. */
  get messages(): readonly number[] {
    return [...this.#messages]
  }
}

const noTime: LinearTime = { latency: 0, perByte: 0 }

function sumOf(times: readonly LinearTime[]): LinearTime {
  let latency = 0
  let perByte = 0
  for (const time of times) {
    latency += time.latency
    perByte += time.perByte
  }
  return { latency, perByte }
}

/** The longest of ways that take nearly equally long, whatever the bytes. */
function longestOf(times: readonly LinearTime[]): LinearTime {
  return {
    latency: Math.max(0, ...times.map(({ latency }) => latency)),
    perByte: Math.max(0, ...times.map(({ perByte }) => perByte))
  }
}

/** Without those that never count: others take at least as long for any number of bytes. */
function longestParts(parts: readonly LinearTime[]): LinearTime[] {
  const kept: LinearTime[] = []
  const byTime = [...parts].sort((left, right) => right.perByte - left.perByte || right.latency - left.latency)
  for (const part of byTime) if (part.latency > (kept.at(-1)?.latency ?? -1)) kept.push(part)
  return kept
}

/**
 * A ring in this order. Each hop forwards 2 (n − 1) segments; while the first h of them come from the hops before, it may
 * be idle.
 *
 * @param chunks - in how many chunks each of the n segments is sent
 */
export function predictRing(order: readonly PeerName[], links: Links, chunks: number): PredictedTime {
  const n = order.length
  const next = (rank: number) => (rank + 1) % n
  const once = new Traffic(order, links)
  for (const rank of order.keys()) once.add(rank, next(rank), 1, 1)
  const all = once.anew()
  for (const rank of order.keys()) all.add(rank, next(rank), (2 * (n - 1)) / n, 2 * (n - 1) * chunks)
  const hops = order.map((_, rank) => once.message(rank, next(rank), 1 / (n * chunks), once.messages))
  const parts = all.busy(longestOf(hops))
  for (const rank of order.keys()) {
    let way = noTime
    const latency = once.latency(rank, next(rank))
    for (let h = 0; h < 2 * (n - 1); h++) {
      const left = chunks * (2 * (n - 1) - h)
      const sent = { latency: latency + left * (hops[rank].latency - latency), perByte: left * hops[rank].perByte }
      parts.push(sumOf([way, sent]))
      way = sumOf([way, hops[(rank - h - 1 + 2 * n) % n]])
    }
  }
  return [longestParts(parts)]
}

/** Direct exchange: all send to all at once, and each segment's chunks come back as soon as they are summed. */
export function predictDirect(peers: readonly PeerName[], links: Links, chunks: number): PredictedTime {
  const n = peers.length
  const into = new Traffic(peers, links)
  const others = (rank: number) => [...peers.keys()].filter((other) => other !== rank)
  const ways = [...peers.keys()].flatMap((rank) =>
    others(rank).map((other) => {
      const way = into.message(rank, other, 1 / (n * chunks))
      into.add(rank, other, 1 / n, chunks)
      into.through(rank, other, way)
      return way
    })
  )
  // Both ways have the same traffic.
  return [inTwoPhases(into, into, longestOf(ways), longestOf(ways))]
}

/**
 * Chunks that travel to roots, and from there to all. Either a line is busy with both phases, or it is idle until the
 * first chunk comes back, or after the last one has been sent in.
 *
 * @param inward - the longest way of a single chunk
 */
function inTwoPhases(into: Traffic, out: Traffic, inward: LinearTime, outward: LinearTime): LinearTime[] {
  const waits = [...out.busy(inward), ...into.busy(outward), sumOf([inward, outward])]
  return longestParts([...into.plus(out).busy(noTime), ...waits])
}

/**
 * Halving and doubling: steps that each need all of the one before. Where some hops are slower than others, messages of
 * later steps compete with those that a slow peer waits for, so that it may receive all before it can send: then a step
 * counts twice.
 */
export function predictHalvingDoubling(peers: readonly PeerName[], links: Links): PredictedTime {
  const n = peers.length
  const lines = new Traffic(peers, links)
  const steps: LinearTime[][] = []
  for (let distance = 1; distance < n; distance *= 2) {
    const fraction = Math.min(distance, n - distance) / n
    for (const way of [distance, n - distance]) {
      const traffic = lines.anew()
      const to = (rank: number) => (rank + way) % n
      for (const rank of peers.keys()) traffic.add(rank, to(rank), 1, 1)
      const messages = peers.map((_, rank) => traffic.message(rank, to(rank), fraction, traffic.messages))
      const slowest = Math.max(...messages.map(({ perByte }) => perByte))
      const isEven = messages.every(({ perByte }) => perByte >= slowest * (1 - 1e-9))
      const times = messages.map(({ latency, perByte }) => ({ latency, perByte: isEven ? perByte : 2 * perByte }))
      steps.push(longestParts(times))
    }
  }
  return steps
}

/**
 * Along trees, for a mean or a broadcast: what the lines carry, after the longest way of one chunk into a root and out of
 * it.
 *
 * @param chunks - as given to {@link chunksOf}
 */
export function predictTrees(
  peers: readonly PeerName[],
  links: Links,
  trees: readonly PackedTree[],
  chunks: number
): PredictedTime {
  const total = trees.reduce((sum, { weight }) => sum + weight, 0)
  const counts = chunksOf(trees, chunks)
  const inward = new Traffic(peers, links)
  const outward = inward.anew()
  for (const [index, { into = [], out, weight }] of trees.entries())
    for (const rank of peers.keys()) {
      if (into[rank] >= 0) inward.add(rank, into[rank], weight / total, counts[index])
      if (out[rank] >= 0) outward.add(out[rank], rank, weight / total, counts[index])
    }
  const waysOf = (traffic: Traffic, isInward: boolean) =>
    trees.flatMap(({ root, into = [], out, weight }, index) => {
      const chunk = weight / total / counts[index]
      const parents = isInward ? into : out
      return parents.map((_, start) => {
        const hops: (readonly [from: number, to: number])[] = []
        for (let rank = start; rank !== root; rank = parents[rank])
          hops.push(isInward ? [rank, parents[rank]] : [parents[rank], rank])
        const way = sumOf(hops.map(([from, to]) => traffic.message(from, to, chunk)))
        for (const [from, to] of hops) traffic.through(from, to, way)
        return way
      })
    })
  return [inTwoPhases(inward, outward, longestOf(waysOf(inward, true)), longestOf(waysOf(outward, false)))]
}

/** A chain broadcast in this order, in so many chunks. */
export function predictChain(order: readonly PeerName[], links: Links, chunks: number): PredictedTime {
  const traffic = new Traffic(order, links)
  const hops = order.slice(1).map((_, rank) => {
    traffic.add(rank, rank + 1, 1 - 1 / chunks, chunks - 1)
    return traffic.message(rank, rank + 1, 1 / chunks)
  })
  return [traffic.busy(sumOf(hops))]
}
