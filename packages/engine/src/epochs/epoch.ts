/** An epoch of a run: a stretch with fixed members. docs/understand/membership.md has the protocol. */
import { byName, type PeerName } from '@murmuration/core'
import type { BrokenPair } from '@murmuration/membership'
import { type SavedTree, vectorNames } from '../driver/save.js'

/** A member of an epoch: a peer in one life. */
export interface MemberPlace {
  readonly name: PeerName
  readonly life: number
  /** How many samples of its own it trains on; 0 for a server. */
  readonly samples: number
}

/** Who takes part in an epoch, in which role, from which round on, and whose models it begins with. */
export interface Epoch {
  /** 0, 1, … */
  readonly number: number
  /** In the order of names. */
  readonly members: readonly MemberPlace[]
  /** Those of the members that are servers, in the order of names. */
  readonly servers: readonly PeerName[]
  /** The first round, of the whole run. */
  readonly round: number
  /** The members whose models are the newest: the epoch begins with their mean. None at the start of a run. */
  readonly givers: readonly PeerName[]
  /** The pairs of members that cannot exchange vectors: their edges are bypassed. */
  readonly broken: readonly BrokenPair[]
  /** What the givers continue with beside their models, if all have the same; it names the vectors that have a mean. */
  readonly carried?: SavedTree | undefined
}

/** What a peer that has stopped can continue from. */
export interface MemberStanding {
  /** The last epoch that it has begun with that epoch's mean; −1 for none. */
  readonly opened: number
  readonly round: number
  readonly hasModel: boolean
  readonly samples: number
  readonly carried?: SavedTree | undefined
}

/** The most vectors that are carried over: each is as long as the model. */
const maxCarried = 16

/** Before a peer knows any epoch. */
export const noEpoch: Epoch = { number: -1, members: [], servers: [], round: 0, givers: [], broken: [] }

/** Proposals of one epoch are ordered by number, then by the name of who proposes. */
export type Ballot = readonly [number: number, name: string]

/** Whether a ballot is before another. */
export function isBefore(a: Ballot, b: Ballot): boolean {
  return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])
}

/** The text that a member signs when it accepts a value. */
export function acceptText(
  ballot: Ballot,
  { number, members, servers, round, givers, broken, carried }: Epoch
): string {
  const places = members.map(({ name, life, samples }) => [name, life, samples])
  return JSON.stringify(['epoch', ballot, number, places, servers, round, givers, broken, carried ?? null])
}

/** Whether a peer is a member, in this life if one is given. */
export function isMember({ members }: Epoch, name: PeerName, life?: number): boolean {
  return members.some((place) => place.name === name && (life === undefined || place.life === life))
}

/**
 * Whether these are a quorum of an epoch's members: more than half, or of two equal halves the one with the first name.
 * Any two quorums have a member in common.
 */
export function isQuorum({ members }: Epoch, names: { has(name: PeerName): boolean }): boolean {
  const count = members.filter(({ name }) => names.has(name)).length
  return 2 * count === members.length ? count > 0 && names.has(members[0].name) : 2 * count > members.length
}

/**
 * What is wrong with `next` as the epoch after `last`, in words; undefined if nothing is. Its members contain a quorum
 * of the last one's in their lives, so that whoever has promised to stop can be sure that no other group goes on.
 */
export function epochProblem(last: Epoch, next: Epoch): string | undefined {
  const { members, servers, givers, round, broken } = next
  if (next.number !== last.number + 1) return `epoch ${next.number} after ${last.number}`
  const names = members.map(({ name }) => name)
  if (![names, servers, givers].every(areInOrder)) return 'members that are not in order'
  const staying = new Set(members.filter(({ name, life }) => isMember(last, name, life)).map(({ name }) => name))
  if (!isQuorum(last, staying)) return `members without a quorum of those of epoch ${last.number}`
  const others = [...servers, ...broken.flat()].filter((name) => !names.includes(name))
  if (others.length > 0) return `${others[0]} as a server or an end of a pair, which is no member`
  if (givers.length === 0) return 'nobody’s model'
  const other = givers.find((name) => !staying.has(name))
  if (other !== undefined) return `the model of ${other}, which was no member`
  const count = next.carried === undefined ? 0 : vectorNames(next.carried).length
  if (count > maxCarried) return `${count} vectors beside the model`
  return round < 0 ? `round ${round}` : undefined
}

/** Whether each name is there once, in the order of names. */
function areInOrder(names: readonly PeerName[]): boolean {
  return names.every((name, index) => index === 0 || byName(names[index - 1], name) < 0)
}
