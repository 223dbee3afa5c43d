/**
 * The life of a peer: what it does next follows from what it knows. docs/understand/membership.md has the table of
 * phases and events.
 */

/** What a peer does. Only one that is `training` begins a round. */
export type PeerPhase = 'entering' | 'catching up' | 'held' | 'alone' | 'training' | 'finishing'

/** What a peer knows of itself and of the others between two rounds. */
export interface PhaseFacts {
  /** Whether all its rounds are over. */
  readonly hasFinished: boolean
  /** Whether it takes part in rounds: it has a life, and no later one of an earlier process of it is known. */
  readonly hasBegun: boolean
  /**
   * Whether it needs the model of another: to join, because it is behind or the run was over without it, or to merge.
   */
  readonly needsModel: boolean
  /** Whether the state of the swarm tells it to wait: it is not in the majority, or reaches nobody. */
  readonly isPaused: boolean
  /** Whether it waits for others for a short time: they are about to begin, far behind, or have shown no sign. */
  readonly awaitsOthers: boolean
  /** Whether others are in its round, and it exchanges with none of them. */
  readonly isAlone: boolean
}

export function phase(known: PhaseFacts): PeerPhase {
  if (known.hasFinished) return 'finishing'
  if (known.needsModel) return 'catching up'
  if (!known.hasBegun) return 'entering'
  if (known.isPaused || known.awaitsOthers) return 'held'
  return known.isAlone ? 'alone' : 'training'
}

/** How many rounds after that of a taken model a peer begins: its record must arrive before its first message. */
const joinMargin = 2

/**
 * The round in which a peer continues with another's model; undefined where it keeps its own. Rounds never decrease.
 *
 * @param own - the round of this peer
 * @param taken - the round of the model
 * @param isMerged - whether its own model is mixed with the other: sides that trained apart meet
 * @param others - where the others are by now, since a model may take many rounds to arrive; 0 where that is the same
 */
export function roundWith(own: number, taken: number, isMerged: boolean, others = 0): number | undefined {
  const next = taken + joinMargin
  if (isMerged) return Math.max(own, next)
  return next > own ? Math.max(next, others + joinMargin) : undefined
}
