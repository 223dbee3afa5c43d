import type { Milliseconds, PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Message, Route, State } from '../record/record.js'
import type { Header } from '../messages/header.js'
import type { EarlyMessages } from '../messages/message-buffer.js'

/** The wire kinds of the control messages of an exchange; X is the message itself. */
export interface ControlKinds {
  readonly skip: number
  readonly withdraw: number
}

/** The traits of a channel with exchanges. */
export interface ExchangeTraits {
  readonly kinds: ControlKinds
  /** What happens to a message that an end has continued without; it is owed where both ends keep a sum over the peers. */
  readonly late: 'owed' | 'dropped' | 'added'
  /** How many rounds lie between two exchanges; 1 when absent. */
  readonly every?: number
}

/** Why there is no message: it timed out; its sender was sent nothing, or sends nothing itself; one of the two has sent SKIP. */
export type Absence = 'silent' | 'unsent' | 'skipped'

/** The edges of a channel whose messages are collected by rounds. */
export interface Exchanging {
  /** The current tag. */
  readonly currentTag: number
  /** Whether X of all is expected, so that no peer needs to be checked. */
  readonly isUsual: boolean
  /** Whether a late message may still be used. */
  readonly hasDebts: boolean
  /** Whether every message is used, even one without room. */
  readonly takesAll: boolean
  /** 'under way': X was sent under this tag before, in an earlier round or before this peer was saved, and must not be sent again. */
  begin(route: Route): 'begins' | 'under way'
  /** The header to send with X, as numbers; undefined where X must not be sent. */
  headerTo(to: PeerName): readonly number[] | undefined
  /** X was sent to the peer whose header was requested. */
  markSent(): void
  /** X could not be sent. */
  markUnsent(): void
  /** Every X of this tag has been sent. */
  endSending(): void
  /** Whether X of a sender may still arrive under the current tag. */
  isAwaited(from: PeerName): boolean
  /** Whether a message of a future tag is too far ahead to be kept. */
  isTooEarly(tag: number): boolean
  /** A message has no room. */
  refuse(from: PeerName, message: VectorMessage): void
  /** X has arrived. Returns whether to keep it. */
  take(from: PeerName, tag: number, message: Message, header: Header, hasRoom: boolean): boolean
  /** X was kept, and its round has ended without it. */
  keepUncollected(from: PeerName, tag: number, message: Message): void
  /** The tag is over without X of a sender, awaited since `since`. Returns why there is none. */
  continueWithout(from: PeerName, mine: Message | undefined, since: Milliseconds): Absence
  close(): void
  saved(messages: EarlyMessages): State
  restore(state: State): void
}
