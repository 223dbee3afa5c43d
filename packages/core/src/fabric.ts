import type { Milliseconds, PeerName } from './names.js'
import type { NoteListener } from './notes.js'
import type { Random } from './random.js'
import type { Mixing } from './topology.js'

/**
 * What became of a message: 'queued' to be sent; 'full', not accepted because the queue to that peer is full;
 * 'unreachable', not attempted, because that peer is not in the peer list, is this one, has left, ended or refused, or
 * is behind a relay that carries no vectors, or because this one is closing. 'queued' promises an attempt, not a
 * delivery, and not even that once a message of a later epoch is sent to that peer.
 */
export type SendResult = 'queued' | 'full' | 'unreachable'

/** A message and its sender. */
export interface Envelope<Message> {
  readonly from: PeerName
  readonly message: Message
}

/**
 * Takes messages while its program waits. Some worlds call it instead of waking the program for each message; others
 * ignore it.
 */
export interface Receiver<Message> {
  /**
   * Takes a message, synchronously. Returns the deadline for the next one; `undefined` ends the wait with `undefined`.
   * An error fails the wait.
   */
  take(envelope: Envelope<Message>): Milliseconds | undefined
}

/** A computation, described so that a world can run it anywhere and charge time for it. */
export interface Work<Result> {
  /** What is computed, for traces: 'gradient', 'evaluate', … */
  readonly kind: string
  /** How many samples it processes; the unit of the simulator's cost model. */
  readonly samples: number
  /** Which fraction of a gradient of these samples it computes, where the peers of a line share them; 1 when absent. */
  readonly share?: number
  /**
   * Computes; called once. Its inputs must not change until it has finished. A result that is available at once needs
   * no promise.
   */
  run(): Result | Promise<Result>
  /**
   * The ranges of the result that are ready before its end, in this order, the last layer of a network first; absent
   * where all are ready together. They do not overlap, cover the result, and are the same object for all works of a
   * task.
   */
  readonly parts?: readonly WorkPart[] | undefined
}

/** A range of a work's result, in elements, and when it is ready. */
export interface WorkPart {
  readonly offset: number
  readonly length: number
  /** The fraction of the computing that is done by then, above 0, at most 1; no less than that of the part before. */
  readonly done: number
}

/** A work under way: awaiting it gives its result. */
export interface Computation<Result> extends PromiseLike<Result> {
  /**
   * The parts of the work. Absent where all are ready together, at the end: so on real peers, whose tasks compute in
   * threads of their own and deliver a gradient at once.
   */
  readonly parts?: readonly WorkPart[] | undefined
  /** The result, of which the part at this index is ready, and those before it; await one after the other. */
  part?(index: number): PromiseLike<Result>
}

/**
 * What an algorithm sees of the world: clock, random numbers, neighbours, sending, receiving, notes, computing. The
 * simulator and libp2p implement it.
 *
 * An algorithm waits by awaiting `receive`, `sleep` or the result of `work`, one of them at a time. The simulator
 * depends on that to know when virtual time may advance, and throws when it is violated. Two concurrent activities are
 * two programs: `spawn`.
 */
export interface Fabric<Message> {
  readonly self: PeerName
  /** Seeded, with a stream per peer. Use `random.stream(purpose)` for each use. */
  readonly random: Random
  /**
   * Aborted when this peer is to stop. Waiting calls then reject with its reason: a {@link StoppedError}, unless `stop`
   * was given another.
   */
  readonly signal: AbortSignal
  /**
   * Whether `signal` is aborted. For code that only checks: a simulated peer creates its signal at the first access.
   */
  readonly isStopping: boolean
  /**
   * Stops all waits of this peer, now and from now on, with `reason`. What was sent before is still delivered. Only the
   * first call counts.
   */
  stop(reason: unknown): void
  /** Monotonic; virtual in the simulator. */
  now(): Milliseconds
  /** This peer's row of the mixing matrix in `round`. */
  neighbours(round: number): Mixing
  /** Hands a message over without waiting for delivery. The message must not change afterwards. */
  send(to: PeerName, message: Message): SendResult
  /**
   * Hands a note, a short text, to another peer or server of the run. It goes ahead of vectors. It may be lost: when it
   * finds no room, or when `to` cannot be reached now. Notes that arrive do so in the order of telling, and once.
   * Throws an InvariantError for a note of more than `maxNoteBytes`.
   */
  tell(to: PeerName, note: string): void
  /** From now on, until this peer stops, `listener` is notified. There is one listener: a later one replaces it. */
  listen(listener: NoteListener): void
  /**
   * The next message of the mailbox, waiting for one until `until` (forever without); `undefined` at the deadline.
   *
   * @param receiver - takes messages during the wait, in worlds that support it; see {@link Receiver}
   * @param waitsFor - identifies this wait for `wake`
   */
  receive(
    until?: Milliseconds,
    receiver?: Receiver<Message>,
    waitsFor?: object
  ): PromiseLike<Envelope<Message> | undefined>
  /**
   * Ends a pending `receive` as its deadline would, so that its program sees what another activity has done: the wait
   * for `waitsFor` if there is one, otherwise the oldest.
   */
  wake(waitsFor?: object): void
  /**
   * Releases the memory of a received message, so that the next one can be received into it. Optional, but saves fresh
   * memory for each message. Afterwards no code may read the message.
   */
  recycle(message: Message): void
  /**
   * Reports that a received message is not what the algorithm expects. This is a fault of the sender and no error of
   * the receiver: it is counted against the sender, which is named with `reason`, and the memory is released.
   */
  reject(envelope: Envelope<Message>, reason: string): void
  /**
   * Memory for a vector to compute in and to send, of the kind that this world sends without copying. Its content is
   * arbitrary. Return it with `free`, so that it is used again.
   */
  allocate(length: number): Float32Array
  /** Releases `allocate`d memory. After a send, it is used again only once it has been sent completely. */
  free(vector: Float32Array): void
  /** Waits until the clock shows `until`; if it already does, lets everything else that is due run first. */
  sleep(until: Milliseconds): PromiseLike<void>
  /** Starts computing at once, concurrently with sending and receiving. Only awaiting the result waits. */
  work<Result>(work: Work<Result>): Computation<Result>
  /** A second activity of the same peer; both share one mailbox. */
  spawn(activity: (fabric: Fabric<Message>) => Promise<void>): void
}

/** The part of a {@link Wire} that a connection needs. */
export type LinkWire<Message> = Pick<Wire<Message>, 'byteLength' | 'payloadLength' | 'copy'>

/** What a world needs to know about a message: its size on a link, and how to copy it, since links carry copies. */
export interface Wire<Message> {
  /** Bytes on the link, the frame's header included. */
  byteLength(message: Message): number
  /** Of these, the bytes that the algorithm wanted to send. */
  payloadLength(message: Message): number
  /** The message as it arrives. It shares no memory with the original. */
  copy(message: Message): Message
  /** How much room a message takes in the queue between two peers; 1 when absent. */
  weight?(message: Message): number
  /** The weight of the largest message, the unit of queue limits; 1 when absent. */
  readonly largest?: number
  /**
   * The epoch of a message, modulo 65,536; always 0 when absent. Once one of a later epoch is sent to a peer, those of
   * earlier epochs that have not begun to be sent to it are dropped: nobody would use them.
   */
  epochOf?(message: Message): number
  /**
   * The wire of one connection, which may have state; this wire when absent. It is asked for the lengths of a message
   * right after its copy. When either end restarts, a new one is made.
   */
  link?(from: PeerName, to: PeerName): LinkWire<Message>
  /** Releases the memory of a copy that is no longer read, for the next one. */
  recycle?(message: Message): void
  /** Memory for a vector; its content is arbitrary. Absent where memory is not reused. */
  allocate?(length: number): Float32Array
  /** Releases the memory of a copied or allocated vector, for the next copy or vector. */
  free?(vector: Float32Array): void
}
