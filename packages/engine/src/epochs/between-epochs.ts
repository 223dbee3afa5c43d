/** What a peer keeps between two sessions. */
import type { Milliseconds } from '@murmuration/core'
import { type Saved, vectorNames } from '../driver/save.js'
import type { Session } from '../driver/session.js'
import type { MemberStanding } from './epoch.js'

export interface BetweenEpochs {
  /** The last epoch that this peer has begun with that epoch's mean; −1 for none. */
  readonly opened: number
  /** The next round, of the whole run. */
  readonly round: number
  /** How many samples this peer has gone through, and how long it has waited for others. */
  readonly samples: number
  readonly waited: Milliseconds
  /** The newest model, while no session has it. */
  readonly model: Float32Array | undefined
  /** Optimisers' states, and what the record carries over. */
  readonly carried: Saved | undefined
  readonly stoppedAt: Milliseconds | undefined
}

/** Of a peer that has not begun. */
export const nothingKept: BetweenEpochs = {
  opened: -1,
  round: 0,
  samples: 0,
  waited: 0,
  model: undefined,
  carried: undefined,
  stoppedAt: undefined
}

/** What a session leaves, which has ended or failed. It is closed. */
export function keptOf(
  session: Session,
  { opened, waited }: BetweenEpochs,
  { round, now }: { readonly round: number; readonly now: Milliseconds }
): BetweenEpochs {
  const { model, carried } = session.leaves()
  const { samples } = session
  const kept = { opened, round, samples, waited: waited + session.waited, model, carried, stoppedAt: now }
  session.close()
  return kept
}

/** What others learn of it: which vectors are carried over, but only where all are as long as the model. */
export function standingOf({ opened, round, model, carried }: BetweenEpochs, samples: number): MemberStanding {
  const hasModel = model !== undefined && opened >= 0
  const vectors = [...(carried?.vectors.values() ?? [])]
  const isWhole = vectors.length > 0 && vectors.every(({ length }) => length === model?.length)
  return { opened, round, hasModel, samples, ...(hasModel && isWhole ? { carried: carried?.tree } : {}) }
}

/** The vectors that a tree names, in its order; zeros for those that this peer lacks. */
export function vectorsFor(tree: Saved['tree'] | undefined, carried: Saved | undefined, length: number) {
  const names = tree === undefined ? [] : vectorNames(tree)
  const vectors = names.map((name) => carried?.vectors.get(name) ?? new Float32Array(length))
  return { names, vectors }
}
