/** Modelled processes and links for tests: delays, losses, cuts, freezes, in virtual time and from one seed. */
import type { Milliseconds, PeerName, Random } from '@murmuration/core'
import { hashOf } from './hash.js'
import type { PromptSigner } from './records.js'

interface Entry {
  readonly time: Milliseconds
  readonly order: number
  readonly act: () => void
}

/** Events at virtual times, in order. */
export class Timeline {
  now: Milliseconds = 0
  readonly #heap: Entry[] = []
  #order = 0

  at(time: Milliseconds, act: () => void): void {
    const heap = this.#heap
    let index = heap.push({ time: Math.max(time, this.now), order: this.#order++, act }) - 1
    while (index > 0 && isBefore(heap[index], heap[(index - 1) >> 1])) index = swap(heap, index, (index - 1) >> 1)
  }

  runUntil(end: Milliseconds): void {
    while (this.#heap.length > 0 && this.#heap[0].time <= end) {
      const { time, act } = this.#pop()
      this.now = time
      act()
    }
    this.now = end
  }

  #pop(): Entry {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop() ?? first
    if (heap.length === 0) return first
    heap[0] = last
    for (let index = 0; ;) {
      const children = [2 * index + 1, 2 * index + 2].filter((child) => child < heap.length)
      const child = children.reduce((best, each) => (isBefore(heap[each], heap[best]) ? each : best), index)
      if (child === index) return first
      index = swap(heap, index, child)
    }
  }
}

const isBefore = (a: Entry, b: Entry) => a.time < b.time || (a.time === b.time && a.order < b.order)

function swap(heap: Entry[], a: number, b: number): number {
  ;[heap[a], heap[b]] = [heap[b], heap[a]]
  return b
}

/** A process in the model. */
export interface Process {
  readonly name: PeerName
  isUp: boolean
  frozenUntil: Milliseconds
}

/**
 * Links between all processes, in order and at most once. A fraction of notes is lost, and all notes on a cut link.
 * Vectors are held while a link is cut: they are retransmitted until acknowledged.
 */
export class Network {
  readonly #cuts = new Map<string, number>()
  readonly #held = new Map<string, (() => void)[]>()
  readonly #lastArrival = new Map<string, Milliseconds>()

  constructor(
    readonly timeline: Timeline,
    readonly random: Random,
    readonly processes: ReadonlyMap<PeerName, Process>,
    readonly loss: number
  ) {}

  cut(a: PeerName, b: PeerName, delta: 1 | -1): void {
    const key = keyOf(a, b)
    this.#cuts.set(key, (this.#cuts.get(key) ?? 0) + delta)
    if (this.isCut(a, b)) return
    const held = this.#held.get(key) ?? []
    this.#held.delete(key)
    for (const send of held) send()
  }

  isCut(a: PeerName, b: PeerName): boolean {
    return (this.#cuts.get(keyOf(a, b)) ?? 0) > 0
  }

  /** Delivers a message to the process that runs there when it is sent. */
  send(from: PeerName, to: PeerName, isNote: boolean, arrive: (target: Process) => void): void {
    const target = this.processes.get(to)
    if (target === undefined) return
    this.#carry(from, target, isNote, () => arrive(target))
  }

  #carry(from: PeerName, target: Process, isNote: boolean, arrive: () => void) {
    const hold = () => {
      if (!isNote) this.#hold(keyOf(from, target.name), () => this.#carry(from, target, isNote, arrive))
    }
    if (this.isCut(from, target.name)) return hold()
    if (isNote && this.random.uniform() < this.loss) return
    const link = `${from} ${target.name}`
    const inOrder = (this.#lastArrival.get(link) ?? 0) + 0.001
    const arrival = Math.max(this.timeline.now + 3 + this.random.uniform() * 20, inOrder)
    this.#lastArrival.set(link, arrival)
    this.later(target, arrival, () => (this.isCut(from, target.name) ? hold() : arrive()))
  }

  #hold(key: string, send: () => void) {
    const held = this.#held.get(key) ?? []
    this.#held.set(key, held)
    held.push(send)
  }

  /** An action of a process: not once it has ended, and not while it is frozen. */
  later(process: Process, time: Milliseconds, act: () => void): void {
    this.timeline.at(time, () => {
      if (!process.isUp || this.processes.get(process.name) !== process) return
      if (this.timeline.now < process.frozenUntil) this.later(process, process.frozenUntil, act)
      else act()
    })
  }
}

const keyOf = (a: PeerName, b: PeerName) => (a < b ? `${a} ${b}` : `${b} ${a}`)

/** Signatures that only the test can forge: a hash of a secret and the text. */
export function testSigner(self: PeerName): PromptSigner {
  const signatureOf = (peer: PeerName, text: string) => hashOf(`secret of ${peer} ${text}`).toString(36)
  return {
    sign: (text) => signatureOf(self, text),
    verify: (peer, text, signature) => signature === signatureOf(peer, text)
  }
}
