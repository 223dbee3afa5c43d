import type { Milliseconds, PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Message, Route, State } from '../record.js'
import type { EarlyMessages } from './early.js'

/** The kinds on the wire of what is said about an exchange beside X, the message itself. */
export interface ControlKinds {
  readonly skip: number
  readonly withdraw: number
}

/** What tells a channel of exchanges from others. */
export interface ExchangeTraits {
  readonly kinds: ControlKinds
  /** What becomes of a message that an end has gone on without: it is owed where a sum over the peers is kept by both ends. */
  readonly late: 'owed' | 'dropped' | 'added'
}

/** Why there is no message: it was waited for; its sender was sent nothing, or sends nothing itself; one of the two has said SKIP. */
export type Absence = 'silent' | 'unsaid' | 'skipped'

/** The edges of a channel whose messages are collected by rounds. */
export interface Exchanging {
  /** The tag that has begun. */
  readonly begun: number
  /** Whether X of all is to come, so that no peer need be asked for. */
  readonly isUsual: boolean
  /** Whether something that came late may still be used. */
  readonly hasDebts: boolean
  /** Whether every message is used, also what finds no room. */
  readonly takesAll: boolean
  /** 'under way': X was said under this tag before, in an earlier round or before this peer was saved, and is not to be said again. */
  begin(route: Route): 'begins' | 'under way'
  /** The terms to send with X; undefined where X is not to be said. */
  termsTo(to: PeerName): readonly number[] | undefined
  /** X has been sent to the peer whose terms were asked for. */
  said(): void
  /** X could not be sent. */
  unsaid(): void
  /** Whom there was something to say to has heard it. */
  hasBegun(): void
  /** Whether X of a sender may still come under the tag that has begun. */
  isAwaited(from: PeerName): boolean
  /** Whether a message of a tag to come is not kept. */
  isTooEarly(tag: number): boolean
  /** There is no room for a message. */
  refuse(from: PeerName, message: VectorMessage): void
  /** X has come. Returns whether it is to be kept. */
  take(from: PeerName, tag: number, message: Message, hasRoom: boolean): boolean
  /** X was kept, and its round is over without it. */
  leave(from: PeerName, tag: number, message: Message): void
  /** The tag is over, and X of a sender has not come, which was waited for since then. What became of it. */
  goOnWithout(from: PeerName, mine: Message | undefined, since: Milliseconds): Absence
  close(): void
  saved(messages: EarlyMessages): State
  restore(state: State): void
}
