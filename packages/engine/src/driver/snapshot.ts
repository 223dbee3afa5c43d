/** The state of a peer in training, to be saved, and what becomes of a saved one. */
import type { EarlyMessages } from '../messages/message-buffer.js'
import type { State } from '../record/record.js'
import type { Vector } from '../vectors/vector.js'
import type { Peer } from './peer.js'
import { checkCounts, checkFits, withoutRecords } from './save.js'
import type { TrainingRun } from './training-run.js'

/** Saved where it is not known how far apart the models were. */
const unknownSpread = -1

export function snapshotOf(peer: Peer, run: TrainingRun, messages: EarlyMessages): State {
  const { gradients, optimisers, origin } = peer
  return {
    round: run.round,
    drawn: gradients.batches.drawn,
    optimisers: { ...optimisers.states },
    origin: origin.x === undefined ? {} : { x: origin.x },
    training: run.training.snapshot(messages),
    averaging: run.averaging.snapshot(messages),
    ...(gradients.dual && { spread: gradients.dual.spread ?? unknownSpread }),
    ...run.end.saved()
  }
}

/** Continues from a saved state. Throws an InputError if it is none of such a peer. */
export function restore(peer: Peer, run: TrainingRun, saved: State): void {
  checkFits(saved, expectedOf(peer, run))
  const { round, drawn, optimisers, origin, training, averaging, isCut } = saved
  checkCounts({ round, drawn }, peer.rounds)
  run.round = round as number
  peer.round = run.round
  peer.gradients.batches.skipTo(drawn as number)
  peer.optimisers.states = optimisers as Record<string, State>
  peer.origin.x = (origin as State).x as Vector | undefined
  run.training.restore(training as State)
  run.averaging.restore(averaging as State)
  run.end.restore(saved)
  if (isCut === 1) peer.startCodecsAnew()
  const { dual } = peer.gradients
  if (dual !== undefined) dual.spread = (saved.spread as number) < 0 ? undefined : (saved.spread as number)
  peer.arena.sweep(true)
}

/** The state of such a peer at its start, with empty records, whose content may differ in every round. */
function expectedOf(peer: Peer, run: TrainingRun): State {
  const zero = peer.arena.compute(peer.length, (out, from, to) => out.fill(0, from, to))
  run.training.start(zero, zero)
  const snapshot = snapshotOf(peer, run, 'without early')
  const training = { ...(snapshot.training as State), state: withoutRecords(run.training.state) }
  return { ...snapshot, training, isCut: 0 }
}
