import type { Milliseconds, PeerName } from './names.js'
import type { NoteListener } from './notes.js'
import type { Random } from './random.js'
import type { Mixing } from './topology.js'

/**
 * What became of a message that was handed over: waiting to go out, or not taken because the queue to that peer is
 * full, or because there is no such neighbour or it was given up. 'queued' promises an attempt, not a delivery.
 */
export type SendResult = 'queued' | 'full' | 'unreachable'

/** A message and who sent it. */
export interface Envelope<Message> {
  readonly from: PeerName
  readonly message: Message
}

/**
 * Takes messages in while its program waits. A world that can call it does so in place of waking the program for each message; others leave it
 * aside.
 */
export interface Receiver<Message> {
  /** Takes a message, at once. Returns until when to wait for the next one; `undefined` ends the wait with `undefined`. An error fails the wait. */
  take(envelope: Envelope<Message>): Milliseconds | undefined
}

/** A piece of computing, described so that a world can run it anywhere and charge time for it. */
export interface Work<Result> {
  /** What is computed, for traces: 'gradient', 'evaluate', … */
  readonly kind: string
  /** How many samples it goes through; the unit of the simulator's cost model. */
  readonly samples: number
  /** Computes. Called once. What it reads must not change until it has finished. A result at hand needs no promise. */
  run(): Result | Promise<Result>
}

/**
 * What an algorithm sees of the world: clock, random numbers, neighbours, sending, receiving, notes, computing. The simulator and libp2p
 * implement it.
 *
 * An algorithm waits by awaiting one of `receive`, `sleep` or the result of `work`, and for one of them at a time. The
 * simulator counts on that to know when virtual time may move, and says so when it is broken. Two activities at once are
 * two programs: `spawn`.
 */
export interface Fabric<Message> {
  readonly self: PeerName
  /** Seeded; an own stream for every peer. Use `random.stream(purpose)` for each use. */
  readonly random: Random
  /** Aborted when this peer is to stop. Waiting calls then reject with a {@link StoppedError}. */
  readonly signal: AbortSignal
  /** Whether `signal` is aborted; for who only looks, since a simulated peer makes its signal for the first who wants it. */
  readonly isStopping: boolean
  /** Monotonic; virtual in the simulator. */
  now(): Milliseconds
  /** This peer's row of the mixing matrix in `round`. */
  neighbours(round: number): Mixing
  /** Hands a message over; never waits for delivery. The message must not change afterwards. */
  send(to: PeerName, message: Message): SendResult
  /**
   * Hands a note, a short text, to another peer or server of the run. It goes ahead of vectors. It may be lost: when it finds no room, or there is no
   * way to `to` now. What arrives is in the order of telling, and arrives once. Throws an InvariantError for one of more than `maxNoteBytes`.
   */
  tell(to: PeerName, note: string): void
  /** From now on, until this peer stops, `listener` hears from others. There is one listener: another takes its place. */
  listen(listener: NoteListener): void
  /**
   * The next message of the mailbox, waiting for one until `until` (forever without); `undefined` at the deadline.
   *
   * @param receiver - takes what comes during the wait, where the world hands it over; see {@link Receiver}
   * @param waitsFor - what `wake` may call this wait by
   */
  receive(
    until?: Milliseconds,
    receiver?: Receiver<Message>,
    waitsFor?: object
  ): PromiseLike<Envelope<Message> | undefined>
  /**
   * Ends a wait of `receive` that is under way, as its deadline would, so that its program looks at what another activity has done: the oldest one, or
   * that for `waitsFor`, if there is one.
   */
  wake(waitsFor?: object): void
  /**
   * Gives the memory of a received message back, so that the next one can be received into it. Not necessary, but saves
   * fresh memory for each message; afterwards nobody may look at the message.
   */
  recycle(message: Message): void
  /**
   * Says that a received message is not what the algorithm expects. That is the sender's fault, and no error of the receiver: the fault is
   * counted against the sender, which is named with `reason`, and the memory is given back.
   */
  reject(envelope: Envelope<Message>, reason: string): void
  /**
   * Memory for a vector to compute in and to send, of the kind that this world sends without copying. Its content is arbitrary.
   * Give it back with `free`, so that it is used again.
   */
  allocate(length: number): Float32Array
  /** Gives `allocate`d memory back. When it was sent, it is used again only once it has gone out. */
  free(vector: Float32Array): void
  /** Waits until the clock shows `until`; when it does already, lets all else that is due go first. */
  sleep(until: Milliseconds): PromiseLike<void>
  /** Starts computing at once, beside sending and receiving. Awaiting the result is what waits. */
  work<Result>(work: Work<Result>): PromiseLike<Result>
  /** A second activity of the same peer, with a mailbox shared with the first. */
  spawn(activity: (fabric: Fabric<Message>) => Promise<void>): void
}

/** What a connection asks of a {@link Wire}. */
export type LinkWire<Message> = Pick<Wire<Message>, 'byteLength' | 'payloadLength' | 'copy'>

/** What a world needs to know of a message: how large it is on a link, and how to copy it, since links carry copies. */
export interface Wire<Message> {
  /** Bytes on the link, the frame's header included. */
  byteLength(message: Message): number
  /** Of these, the bytes that the algorithm wanted to send. */
  payloadLength(message: Message): number
  /** What arrives of a message. It shares no memory with the original. */
  copy(message: Message): Message
  /** How much of the queue between two peers a message takes; 1 when absent. */
  weight?(message: Message): number
  /** The weight of the largest message, in which queues are bounded; 1 when absent. */
  readonly largest?: number
  /**
   * The wire of one connection, which may remember something from message to message; this one when absent. It is asked for the lengths of a message
   * right after its copy. When either end begins anew, so does the wire.
   */
  link?(from: PeerName, to: PeerName): LinkWire<Message>
  /** Takes back the memory of a copy that nobody looks at any more, for the next one. */
  recycle?(message: Message): void
  /** Memory for a vector; its content is arbitrary. Absent where nothing is used again. */
  allocate?(length: number): Float32Array
  /** Takes the memory of a vector back, of a copy's or an allocated one, for the next copy or the next vector. */
  free?(vector: Float32Array): void
}
