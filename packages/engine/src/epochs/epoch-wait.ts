/** How long a peer waits for an epoch, or in it for the others to finish. */
import { type Milliseconds, NeighboursMissingError, type PeerName } from '@murmuration/core'
import type { Members } from '../members/members.js'
import { checkPolicy, othersMissing } from '../members/missing.js'
import type { EpochAgreement } from './agreement.js'
import { isQuorum } from './epoch.js'
import { stagesWithout } from '../pipeline/lines-among.js'
import type { EpochRules } from './next-epoch.js'

/** A wait so far. */
interface EpochWait {
  readonly waited: Milliseconds
  /** For the error, after "has waited". */
  readonly what: string
}

/** The run that a peer waits in. */
interface EpochWaiter extends Pick<EpochRules, 'lines'> {
  readonly members: Members
  readonly timeout: Milliseconds
}

/** Throws a NeighboursMissingError where a peer has waited for too long, or for what can no longer come. */
export function checkEpochWait(
  self: PeerName,
  { members, timeout, lines }: EpochWaiter,
  { epoch, hasFinished }: Pick<EpochAgreement, 'epoch' | 'hasFinished'>,
  { waited, what }: EpochWait
): void {
  const { knowledge, standing, options } = members
  const others = options.topology.peers.filter((name) => name !== self)
  const finished = others.filter((name) => knowledge.hasFinished(name))
  const haveLeft = others.length > 0 && others.every((name) => knowledge.hasLeft(name))
  const staying = new Set(epoch.members.flatMap(({ name }) => (knowledge.hasLeft(name) ? [] : name)))
  const isQuorumLeft = isQuorum(epoch, staying)
  const isAlone = standing.present.length <= 1 || !isQuorumLeft
  if (!hasFinished && finished.length > 0 && (haveLeft || (isAlone && waited > 2 * timeout)))
    throw new NeighboursMissingError(finished, `${self} has not finished; ${finished.join(', ')} have, and are gone`)
  if (!hasFinished && haveLeft && !isQuorumLeft)
    throw othersMissing(self, 'has not finished, and all others have left', others)
  const anew = epoch.members.filter(({ name, life }) => knowledge.lifeOf(name) > life).map(({ name }) => name)
  const inTheirLives = new Set([...staying].filter((name) => !anew.includes(name)))
  if (!hasFinished && anew.length > 0 && epoch.number >= 0 && !isQuorum(epoch, inTheirLives))
    throw new NeighboursMissingError(
      anew,
      `${self} cannot continue: ${anew.join(', ')} started again and forgot what was agreed, and the others are too few; start all again with --resume`
    )
  const replicas = lines !== undefined && epoch.number >= 0 && !hasFinished ? lines : noLines
  const [gone] = stagesWithout(replicas, (name) => inTheirLives.has(name))
  if (gone !== undefined) throw stageLost(self, 'cannot continue', replicas, gone)
  checkPolicy(self, standing)
  if (waited <= options.wait.pause) return
  const isThere = (name: PeerName) => name === self || (inTheirLives.has(name) && knowledge.isPresent(name))
  const [absent] = stagesWithout(replicas, isThere)
  if (absent !== undefined) throw stageLost(self, `has waited ${Math.round(waited / 1000)} s`, replicas, absent)
  const missing = epoch.members.map(({ name }) => name).filter((name) => name !== self && !knowledge.isPresent(name))
  const advice = missing.length === 0 ? '' : '; start them again, or all with --resume'
  throw othersMissing(self, `has waited ${Math.round(waited / 1000)} s ${what}${advice}`, missing)
}

const noLines: NonNullable<EpochRules['lines']> = [[]]

/** The error where nobody has a stage of the model any longer. */
function stageLost(
  self: PeerName,
  what: string,
  lines: NonNullable<EpochRules['lines']>,
  stage: number
): NeighboursMissingError {
  const peers = lines.map((line) => line[stage])
  const text = `nobody is left who trains stage ${stage} of the model; start all again with --resume`
  return othersMissing(self, `${what}: ${text}`, peers)
}
