/** The fabric as the peers of one epoch see it: only their messages, and a graph of them. */
import {
  type Envelope,
  EpochOverError,
  epochsApart,
  type Fabric,
  fabricWith,
  invariant,
  isLaterEpoch,
  type Milliseconds,
  type Random,
  type Receiver,
  type Topology
} from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'

/** The parts of an epoch, and the first kind of the messages of each: an algorithm has fewer kinds. */
const firstKinds = { training: 0, opening: 128, closing: 192 } as const

/** An epoch begins with an opening; some runs end with a closing, which is the same. */
export type EpochPart = keyof typeof firstKinds

function partOf(kind: number): EpochPart {
  if (kind < firstKinds.opening) return 'training'
  return kind < firstKinds.closing ? 'opening' : 'closing'
}

/**
 * Sorts messages by epoch: those of earlier ones are dropped, and are nobody's fault; those of later ones, of which
 * this peer may not have heard yet, and of a part that has not begun, are kept. How many is bounded by what a sender
 * may send before it is answered.
 */
export class EpochFabric {
  readonly #fabric: Fabric<VectorMessage>
  #epoch = 0
  #isOver = false
  #kept: Envelope<VectorMessage>[] = []

  constructor(fabric: Fabric<VectorMessage>) {
    this.#fabric = fabric
  }

  /** The messages of this epoch count from now on. */
  begin(epoch: number): void {
    invariant(epoch >= this.#epoch, () => `epoch ${epoch} after ${this.#epoch}`)
    this.#epoch = epoch
    this.#isOver = false
    const kept = this.#kept
    this.#kept = []
    for (const envelope of kept) this.keep(envelope)
  }

  /** Makes the waits of this epoch fail with {@link EpochOverError}, now and from now on. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#fabric.wake()
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Throws {@link EpochOverError} if it is. */
  check(): void {
    if (this.#isOver) throw new EpochOverError()
  }

  /** Waits until `until` or a wake, and keeps what arrives. */
  async wait(until: Milliseconds): Promise<void> {
    const envelope = await this.#fabric.receive(until)
    if (envelope !== undefined) this.keep(envelope)
  }

  /** The fabric of a part of this epoch. `graph` gives the rows of W; a server has none. */
  view(part: EpochPart, graph?: Topology): Fabric<VectorMessage> {
    const fabric = this.#fabric
    const { self } = fabric
    const epoch = this.#epoch
    const first = firstKinds[part]
    const isPlain = epoch === 0 && part === 'training'
    const sent = epoch % epochsApart
    const sorter = new Sorter(fabric, this, (envelope) => this.#own(envelope, part))
    return fabricWith(fabric, {
      random: epoch === 0 ? fabric.random : randomOf(fabric.random, epoch),
      neighbours: (round) => {
        invariant(graph !== undefined, () => `${self} has no row in the topology of epoch ${epoch}`)
        return graph.mixing(self, round)
      },
      send: (to, message) =>
        fabric.send(to, isPlain ? message : { ...message, epoch: sent, kind: message.kind + first }),
      receive: (until, receiver, waitsFor) => sorter.receive(until, receiver, waitsFor)
    })
  }

  /** The next message that was kept for a part. */
  takeKept(own: (envelope: Envelope<VectorMessage>) => Envelope<VectorMessage> | undefined) {
    for (let index = 0; index < this.#kept.length; index++) {
      const envelope = own(this.#kept[index])
      if (envelope === undefined) continue
      this.#kept.splice(index, 1)
      return envelope
    }
    return undefined
  }

  #own(envelope: Envelope<VectorMessage>, part: EpochPart): Envelope<VectorMessage> | undefined {
    const { message } = envelope
    if ((message.epoch ?? 0) !== this.#epoch % epochsApart) return undefined
    if (partOf(message.kind) !== part) return undefined
    if (part === 'training') return envelope
    return { from: envelope.from, message: { ...message, kind: message.kind - firstKinds[part] } }
  }

  /** Keeps a message of another part or a later epoch; drops all others. */
  keep(envelope: Envelope<VectorMessage>): void {
    const { message } = envelope
    const { epoch = 0 } = message
    const current = this.#epoch % epochsApart
    if (isLaterEpoch(epoch, current) || (epoch === current && !this.#isOver)) this.#kept.push(envelope)
    else this.#fabric.recycle(message)
  }
}

/** Receives the messages of one part of an epoch. */
class Sorter {
  readonly #fabric: Fabric<VectorMessage>
  readonly #all: EpochFabric
  readonly #own: (envelope: Envelope<VectorMessage>) => Envelope<VectorMessage> | undefined
  /** The receiver of the session, and the same for the whole fabric: a session has one. */
  #given: Receiver<VectorMessage> | undefined
  #sorting: Receiver<VectorMessage> | undefined
  #until: Milliseconds | undefined

  constructor(
    fabric: Fabric<VectorMessage>,
    all: EpochFabric,
    own: (envelope: Envelope<VectorMessage>) => Envelope<VectorMessage> | undefined
  ) {
    this.#fabric = fabric
    this.#all = all
    this.#own = own
  }

  async receive(
    until: Milliseconds | undefined,
    given: Receiver<VectorMessage> | undefined,
    waitsFor: object | undefined
  ): Promise<Envelope<VectorMessage> | undefined> {
    this.#until = until
    for (;;) {
      this.#all.check()
      const kept = this.#all.takeKept(this.#own)
      if (kept !== undefined) return kept
      const envelope = await this.#fabric.receive(this.#until, this.#receiverFor(given), waitsFor)
      this.#all.check()
      if (envelope === undefined) return undefined
      const own = this.#own(envelope)
      if (own !== undefined) return own
      this.#all.keep(envelope)
    }
  }

  #receiverFor(given: Receiver<VectorMessage> | undefined): Receiver<VectorMessage> | undefined {
    if (given === undefined || given === this.#given) return given && this.#sorting
    this.#given = given
    this.#sorting = {
      take: (envelope) => {
        this.#all.check()
        const own = this.#own(envelope)
        if (own === undefined) this.#all.keep(envelope)
        else this.#until = given.take(own)
        return this.#until
      }
    }
    return this.#sorting
  }
}

/** A record that draws by round draws anew in each epoch; batches continue where they were. */
function randomOf(random: Random, epoch: number): Random {
  const own = random.stream(`epoch ${epoch}`)
  return {
    uniform: () => own.uniform(),
    integer: (limit) => own.integer(limit),
    normal: () => own.normal(),
    shuffle: (items) => own.shuffle(items),
    stream: (purpose) => (purpose === 'batches' ? random : own).stream(purpose)
  }
}
