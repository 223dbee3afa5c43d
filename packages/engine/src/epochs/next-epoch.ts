/** Which epoch follows: a function of what the members have promised. */
import { byName, type PeerName } from '@murmuration/core'
import type { BrokenPair } from '@murmuration/membership'
import type { SavedTree } from '../driver/save.js'
import { replicasOf, stagesWithout } from '../pipeline/lines-among.js'
import { type Epoch, epochProblem, isMember, isQuorum, type MemberPlace, type MemberStanding } from './epoch.js'

/** What an algorithm makes of the members of an epoch; the same at all peers of a run. */
export interface EpochRules {
  /** The servers that the run began with. */
  readonly servers: readonly PeerName[]
  /** How many servers the algorithm needs at least. */
  readonly neededServers: number
  /** Whether all models of a round are equal, so that only those of the newest round count. */
  readonly isEqual: boolean
  /**
   * Whether each peer counts its own rounds. Then an epoch begins in the middle one of them, otherwise in the last one
   * that any has reached.
   */
  readonly hasOwnPace: boolean
  /** Whether every pair of members has to exchange vectors, so that of a broken pair one has to go. */
  readonly needsEveryPair: boolean
  /** The lines with which the run began, where the model is cut: each stage's peers have a model of their own. */
  readonly lines?: readonly (readonly PeerName[])[] | undefined
}

/** What the proposer of an epoch knows. */
export interface Proposed {
  readonly last: Epoch
  /** What those say that have stopped. Who has promised is alive, whatever votes say. */
  readonly standings: ReadonlyMap<PeerName, MemberStanding>
  /** Peers that ask to be taken in, with places that they have not had. */
  readonly joining: readonly MemberPlace[]
  readonly broken: readonly BrokenPair[]
}

/** The epoch after the last one: who has promised, and who joins. */
export function nextEpoch(rules: EpochRules, known: Proposed): Epoch {
  const { hasOwnPace, needsEveryPair } = rules
  const { last, standings } = known
  const promised = last.members.flatMap((place) => {
    const standing = standings.get(place.name)
    return standing === undefined ? [] : [{ ...place, samples: standing.samples }]
  })
  const staying = needsEveryPair ? withoutBroken(rules, last, promised, known.broken) : promised
  const members = [...staying, ...joiningOf(known, staying, needsEveryPair)].sort((a, b) => byName(a.name, b.name))
  const names = members.map(({ name }) => name)
  const models = staying.flatMap(({ name }) => {
    const standing = standings.get(name)
    return standing?.hasModel === true ? [{ name, ...standing }] : []
  })
  const newest = models.filter(({ name, opened }) =>
    replicasOf(rules.lines, name, models).every((other) => other.opened <= opened)
  )
  const rounds = newest.map(({ round }) => round).sort((a, b) => a - b)
  const round = rounds[hasOwnPace ? (rounds.length - 1) >> 1 : rounds.length - 1] ?? last.round
  const givers = newest.filter((model) => !rules.isEqual || isOfLastRound(model, newest, rules))
  const carried = commonTree(givers.map((model) => model.carried))
  return {
    number: last.number + 1,
    members,
    servers: serversOf(rules, last, names),
    round,
    givers: givers.map(({ name }) => name),
    broken: known.broken.filter((pair) => pair.every((name) => names.includes(name))),
    ...(carried === undefined ? {} : { carried })
  }
}

interface StandingModel extends MemberStanding {
  readonly name: PeerName
}

/** Whether no other model of its stage is of a later round: a stage may have ended a round that others have not. */
function isOfLastRound({ name, round }: StandingModel, all: readonly StandingModel[], { lines }: EpochRules): boolean {
  return replicasOf(lines, name, all).every((other) => other.round <= round)
}

/** The stages of which an epoch has nobody's model; that of the whole model is 0. */
export function stagesWithoutModel({ lines }: Pick<EpochRules, 'lines'>, { givers }: Epoch): readonly number[] {
  if (lines === undefined) return givers.length === 0 ? [0] : []
  return stagesWithout(lines, (peer) => givers.includes(peer))
}

/** As {@link epochProblem}, also of the stages of a model. */
export function nextEpochProblem(rules: Pick<EpochRules, 'lines'>, last: Epoch, next: Epoch): string | undefined {
  const problem = epochProblem(last, next)
  if (problem !== undefined) return problem
  const [stage] = stagesWithoutModel(rules, next)
  return stage === undefined ? undefined : `nobody’s model of stage ${stage}`
}

/**
 * Without one end of each broken pair: the one that is no server, or else the later name. None is left out where the
 * others are no quorum, or lack a stage.
 */
function withoutBroken(
  { servers, lines = [] }: EpochRules,
  last: Epoch,
  promised: readonly MemberPlace[],
  broken: readonly BrokenPair[]
): readonly MemberPlace[] {
  const out = new Set<PeerName>()
  for (const pair of broken) {
    const [first, second] = [...pair].sort(byName)
    if (out.has(first) || out.has(second)) continue
    out.add(servers.includes(second) && !servers.includes(first) ? first : second)
  }
  const rest = promised.filter(({ name }) => !out.has(name))
  const names = new Set(rest.map(({ name }) => name))
  const isWhole = lines.length === 0 || stagesWithout(lines, (peer) => names.has(peer)).length === 0
  return isWhole && isQuorum(last, names) ? rest : promised
}

/** Those that join, but for those that cannot exchange with a member that stays, where every pair must. */
function joiningOf(
  { joining, broken }: Proposed,
  staying: readonly MemberPlace[],
  needsEveryPair: boolean
): MemberPlace[] {
  const isNew = ({ name }: MemberPlace) => !staying.some((place) => place.name === name)
  return joining.filter((place) => isNew(place) && !(needsEveryPair && isApart(place.name, staying, broken)))
}

/** Whether a peer cannot exchange vectors with one of these places. */
export function isApart(name: PeerName, places: readonly MemberPlace[], broken: readonly BrokenPair[]): boolean {
  const others = places.filter((place) => place.name !== name)
  return broken.some((pair) => pair.includes(name) && others.some((place) => pair.includes(place.name)))
}

/**
 * The run's own servers, which have no data to train on; and where these are too few for the algorithm, those that have
 * the role now, and then the last names. One worker at least remains.
 */
function serversOf(
  { servers, neededServers }: EpochRules,
  last: Epoch,
  names: readonly PeerName[]
): readonly PeerName[] {
  const own = servers.filter((name) => names.includes(name))
  const ranked = [...new Set([...own, ...last.servers, ...[...names].reverse()])].filter((name) => names.includes(name))
  const count = Math.max(own.length, Math.min(neededServers, names.length - 1))
  return ranked.slice(0, count).sort(byName)
}

/** The tree that all givers have in the same shape, as the first has it. */
function commonTree(trees: readonly (SavedTree | undefined)[]): SavedTree | undefined {
  const [first, ...others] = trees
  if (first === undefined) return undefined
  const shape = shapeOf(first)
  return others.every((tree) => tree !== undefined && shapeOf(tree) === shape) ? first : undefined
}

/** A tree without its numbers. */
function shapeOf(tree: SavedTree): string {
  return JSON.stringify(tree, (_, part: unknown) => (typeof part === 'number' ? 0 : part))
}

/** The places of an epoch that its successor lacks, and those that it has in addition. */
export function changesOf(
  last: Epoch,
  next: Epoch
): { readonly lost: readonly PeerName[]; readonly joined: readonly PeerName[] } {
  const missing = (from: Epoch, to: Epoch) =>
    from.members.filter(({ name, life }) => !isMember(to, name, life)).map(({ name }) => name)
  return { lost: missing(last, next), joined: missing(next, last) }
}
