import type { Envelope, Milliseconds, PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { EdgeHeader } from '../messages/header.js'
import type { Flow, Message, Route, State } from '../record/record.js'
import type { LateWord } from '../record/record-problem.js'

/**
 * How the two ends of each edge of a channel agree on which of its messages are used. X is such a message, as in
 * edge.ts.
 */
export interface EdgePolicy {
  /**
   * Sends X, which `delivery` delivers, to those of `route.to` that may be sent it. Returns the others. Where
   * `route.from` is empty, nothing is awaited in return.
   */
  send(route: Route, delivery: MessageDelivery): readonly PeerName[]
  /**
   * A part of X has arrived.
   *
   * @param isLate - whether it is of a tag that is over
   * @returns the message that it completes, if that is kept for its tag
   */
  receive(part: Envelope<VectorMessage>, isLate: boolean): Message | undefined
  /** Whether X of a sender may still arrive under the current tag. */
  isAwaited(from: PeerName): boolean
  /**
   * The current tag is over.
   *
   * @param lacking - the peers whose X has not arrived
   * @param mine - what this peer has sent to all, if it was the same
   * @param since - since when X was awaited
   * @returns for each of `lacking` why there is none
   */
  close(lacking: readonly PeerName[], mine: Message | undefined, since: Milliseconds): readonly Absence[]
  /** Returns whether the event counts: one of an earlier life does not, nor one that means nothing here. */
  step(event: EdgeEvent): boolean
  /** Whose X this peer has continued without, and it has not arrived. */
  readonly owing: readonly Owed[]
  /** The flows of late messages. Their vectors belong to the current round from now on. */
  takeFlows(): readonly Flow<Message>[]
  /** What is saved. A peer that resumes sets it. */
  state: State
}

/** What concerns the edges of a channel besides its own messages. */
export type EdgeEvent =
  /** SKIP or WITHDRAW has arrived. */
  | { readonly kind: 'skip' | 'withdraw'; readonly from: PeerName; readonly tag: number; readonly header: EdgeHeader }
  /** A peer has sent a request. */
  | { readonly kind: 'asked'; readonly from: PeerName; readonly header: EdgeHeader }
  /** It gets no reply. */
  | { readonly kind: 'unanswered'; readonly from: PeerName; readonly tag: number }
  /** X was kept, and its round has ended without it. */
  | { readonly kind: 'uncollected'; readonly from: PeerName; readonly tag: number; readonly message: Message }
  /** A peer, or this one, continues with another state: all its open exchanges end. */
  | { readonly kind: 'life'; readonly peer: PeerName; readonly life: number }
  /**
   * This peer no longer takes part, does so again, or leaves for good: then all that has arrived or arrives enters its
   * state.
   */
  | { readonly kind: 'pause' | 'resume' | 'leave' }
  /** All who owe are to be asked, or those that were asked a timeout ago. */
  | { readonly kind: 'claim' | 'remind' }

/** A peer whose X is awaited beyond its tag. */
export interface Owed {
  readonly peer: PeerName
  readonly since: Milliseconds
}

/**
 * Why there is no message: it timed out; its sender was sent nothing, or sends nothing itself; one of the two has sent
 * SKIP.
 */
export type Absence = 'silent' | 'unsent' | 'skipped'

/** Sends a message of a channel. */
export interface MessageDelivery {
  /** @returns whether it was sent */
  deliver(to: PeerName, header: readonly number[]): boolean
}

/** Reads the messages of a channel. */
export interface Inlet {
  /** Whether there is room for a part of a message of a future tag. */
  hasRoom(part: Envelope<VectorMessage>): boolean
  /** A part has no room. */
  drop(part: Envelope<VectorMessage>): void
  /** Whether the same part has arrived before. */
  isDuplicate(part: Envelope<VectorMessage>): boolean
  /**
   * The message that a part completes, if it does. A part that cannot be used is its sender's fault.
   *
   * @param isHeard - whether its sender counts as present
   */
  read(part: Envelope<VectorMessage>, isHeard: boolean): Message | 'unusable' | undefined
  /** That of the message which was read last. */
  readonly header: EdgeHeader
}

/** The wire kinds of the control messages of a channel's edges. */
export interface ControlKinds {
  readonly skip: number
  readonly withdraw: number
}

/** The traits of a channel whose ends agree. */
export interface EdgeTraits {
  readonly kinds: ControlKinds
  /**
   * What happens to a message that an end has continued without; it is owed where both ends keep a sum over the peers.
   */
  readonly late: 'owed' | LateWord
  /** How many rounds lie between two exchanges; 1 when absent. */
  readonly every?: number
  /** The first round, which may follow any other where training ends early; 0 when absent. */
  readonly first?: number
}

/** Shared, since most rounds have none. */
export const noneOwed: readonly Owed[] = []
export const noneAbsent: readonly Absence[] = []
export const noFlows: readonly Flow<Message>[] = []
