import type { Milliseconds, NoteListener, PeerName, Random, Receiver } from '@murmuration/core'
import type { Connection, Delivery, End, EndpointState } from './connection.js'
import { Gate, type KernelProgram } from './program.js'
import type { Kernel } from './kernel.js'
import { Mailbox } from './mailbox.js'
import type { NoteLine } from './notes.js'
import { TimeUse } from './time-use.js'

const noPrograms: readonly KernelProgram[] = []

/** A peer or server of a simulation, with what it owns. */
export class Endpoint<Message> implements End<Message> {
  readonly mailbox = new Mailbox<Delivery<Message>>()
  readonly gate = new Gate()
  programs: readonly KernelProgram[] = noPrograms
  readonly connections = new Map<PeerName, Connection<Message>>()
  /** Created for the first note: most runs have none. */
  noteLines: Map<PeerName, NoteLine> | undefined
  listener: NoteListener | undefined
  readonly timeUse = new TimeUse()
  presence: EndpointState = 'absent'
  /** How many times it has begun; messages to or from an earlier incarnation are not for the next. */
  incarnation = 0
  /** Bytes that it has sent to other machines and received from them. */
  carried = 0
  isStopping = false
  /** Why it must stop, once it must. */
  #stopped: unknown
  #stopping: AbortController | undefined
  /** How long it was frozen before the present freeze, and since when it is frozen now. */
  frozenFor: Milliseconds = 0
  frozenSince: Milliseconds | undefined
  /** Its clock shows `#shown + (t − #set) · #pace` at the time t. */
  #shown: Milliseconds = 0
  #set: Milliseconds = 0
  #pace = 1

  /**
   * @param index - its index among all endpoints
   * @param machine - the machine whose line it shares
   */
  constructor(
    readonly name: PeerName,
    readonly index: number,
    readonly machine: PeerName,
    readonly random: Random
  ) {}

  /** It begins, or begins anew. */
  begin(): void {
    this.presence = 'up'
    this.incarnation++
    this.#stopping = undefined
    this.#stopped = undefined
    this.isStopping = false
  }

  /** Aborted when it must stop. Created on first access, since a signal takes much memory and most peers need none. */
  get signal(): AbortSignal {
    this.#stopping ??= new AbortController()
    if (this.isStopping) this.#stopping.abort(this.#stopped)
    return this.#stopping.signal
  }

  /**
   * Hands a message to the receiver of the only program that waits for one, and wakes the program if the receiver ends
   * its wait. Returns whether there is such a receiver; a frozen machine takes nothing.
   */
  isTakenIn(delivery: Delivery<Message>, kernel: Kernel): boolean {
    const program = this.mailbox.only()
    const receiver = program?.receiver as Receiver<Message> | undefined
    if (program === undefined || receiver === undefined || this.gate.isShut) return false
    delivery.connection.taken(delivery)
    try {
      const until = receiver.take(delivery)
      if (until === undefined) kernel.wake(program, undefined)
      else kernel.waitOn(program, this.timeOf(until))
    } catch (error) {
      kernel.fail(program, error)
    }
    return true
  }

  /** It must stop, and receives no more notes. */
  stop(reason: unknown): void {
    this.isStopping = true
    this.listener = undefined
    this.#stopped = reason
    this.#stopping?.abort(reason)
  }

  /** It no longer exists. */
  end(presence: 'crashed' | 'ended'): void {
    this.presence = presence
    this.listener = undefined
  }

  /** Its clock at the virtual time `now`. */
  clock(now: Milliseconds): Milliseconds {
    return this.#shown + (now - this.#set) * this.#pace
  }

  /**
   * The virtual time at which its clock shows `shown`, or, by rounding, later: a wait that ended before would be begun
   * again, forever.
   */
  timeOf(shown: Milliseconds): Milliseconds {
    let time = this.#set + (shown - this.#shown) / this.#pace
    for (let short = shown - this.clock(time); short > 0; short = shown - this.clock(time)) {
      time = Math.max(time + short / this.#pace, time + Number.EPSILON * Math.abs(time))
    }
    return time
  }

  /** From now on its clock runs `pace` times as fast. It never jumps. */
  skew(now: Milliseconds, pace: number): void {
    this.#shown = this.clock(now)
    this.#set = now
    this.#pace = pace
  }

  /** How long it has been frozen in total until now. */
  frozen(now: Milliseconds): Milliseconds {
    return this.frozenFor + (this.frozenSince === undefined ? 0 : now - this.frozenSince)
  }
}
