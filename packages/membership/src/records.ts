import type { PeerName } from '@murmuration/core'

/**
 * 'joining' until its life has begun, 'here' while it trains, 'done' when it has finished and still gives others its
 * model, 'ended' when it has finished and is gone, 'left' when it leaves before it has finished.
 */
export type PeerStatus = 'joining' | 'here' | 'done' | 'ended' | 'left'

/** Whether a peer says that it has finished its training. */
export function hasFinished({ status }: Pick<PeerRecord, 'status'>): boolean {
  return status === 'done' || status === 'ended'
}

/** Whether a peer says that it is gone: it left before it had finished, or ended then. */
export function isGone({ status }: Pick<PeerRecord, 'status'>): boolean {
  return status === 'left' || status === 'ended'
}

/** What a peer says about itself. Only the peer can sign it. */
export interface PeerRecord {
  readonly name: PeerName
  /** A life begins with a process, and with every state that is taken from another peer; 0 before the first. */
  readonly life: number
  /** Raised by the peer itself: votes against a lower one are void. */
  readonly refutation: number
  /** Raised with every record of the same life and refutation. */
  readonly beat: number
  readonly status: PeerStatus
  /** The first round of this life. */
  readonly from: number
  /** Whether this life has begun its first round. */
  readonly isIn: boolean
  readonly round: number
  readonly samples: number
  /**
   * Peers with which it cannot exchange vectors: no link, or an exchange that is still open. At most {@link maxNames}.
   */
  readonly broken: readonly PeerName[]
  /** Peers that recently missed its timeout. At most {@link maxNames}. */
  readonly silent: readonly PeerName[]
  /** Peers that it waits for in its round. At most {@link maxNames}. */
  readonly waitsFor: readonly PeerName[]
  /** Empty until it is there: then the record is not told. */
  readonly signature: string
}

/** "I cannot reach `target` in this life and refutation", signed by the voter as a record is. */
export interface Vote {
  readonly voter: PeerName
  readonly target: PeerName
  readonly life: number
  readonly refutation: number
  readonly signature: string
}

/** How many names a list of a record holds. */
export const maxNames = 8

/**
 * Signs in this peer's name, and checks the signatures of others. It binds a text to the run; otherwise records of
 * another run would count.
 */
export interface Signer {
  /** The signature; later if a browser keeps the key. */
  sign(text: string): string | Promise<string>
  verify(peer: PeerName, text: string, signature: string): boolean
  /** Whether the key of a peer is known, which every check needs; true for all peers when absent. */
  knows?(peer: PeerName): boolean
}

/** A signer whose key signs at once. */
export interface PromptSigner extends Signer {
  sign(text: string): string
}

/** A peer's progress, which changes with every round. */
export type Distance = Pick<PeerRecord, 'round' | 'samples'>

/** The text of a record that its peer signs. */
export function recordText(record: Omit<PeerRecord, 'signature'>): string {
  const { name, life, refutation, beat, status, from, isIn, round, samples, broken, silent, waitsFor } = record
  return JSON.stringify([
    'record',
    name,
    life,
    refutation,
    beat,
    status,
    from,
    isIn,
    round,
    samples,
    broken,
    silent,
    waitsFor
  ])
}

/** The text of a vote that its voter signs. */
export function voteText({ voter, target, life, refutation }: Omit<Vote, 'signature'>): string {
  return JSON.stringify(['vote', voter, target, life, refutation])
}

/** The text with which `target` answers a ping that `asker` has caused. */
export function pongText(target: PeerName, asker: PeerName, nonce: number): string {
  return JSON.stringify(['pong', target, asker, nonce])
}

/** Whether two records of a peer say the same except for the beat and the progress, which only contacts are told. */
export function isSameNews(a: PeerRecord, b: PeerRecord): boolean {
  return (
    compareStanding(a, b) === 0 &&
    a.status === b.status &&
    a.from === b.from &&
    a.isIn === b.isIn &&
    areSame(a.broken, b.broken) &&
    areSame(a.silent, b.silent) &&
    areSame(a.waitsFor, b.waitsFor)
  )
}

export function areSame(a: readonly PeerName[], b: readonly PeerName[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index])
}

const texts = new WeakMap<PeerRecord | Vote, string>()
const jsons = new WeakMap<PeerRecord | Vote, string>()

/** {@link recordText} or {@link voteText}, cached. */
export function signedText(item: PeerRecord | Vote): string {
  const text = texts.get(item) ?? ('voter' in item ? voteText(item) : recordText(item))
  texts.set(item, text)
  return text
}

/** A record or vote as it is told. */
export function jsonOf(item: PeerRecord | Vote): string {
  const json = jsons.get(item) ?? JSON.stringify(item)
  jsons.set(item, json)
  return json
}

/** The position of a peer in its own history. */
export type Standing = Pick<PeerRecord, 'life' | 'refutation'>

/** Above 0 when `a` has a later life, or a later refutation in the same life. */
export function compareStanding(a: Standing, b: Standing): number {
  return a.life - b.life || a.refutation - b.refutation
}

/** The order of texts by UTF-16 code unit. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
