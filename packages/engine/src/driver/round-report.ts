import type { PeerName, StepReport } from '@murmuration/core'
import type { Participation } from '../members/participants.js'
import type { Vector } from '../vectors/vector.js'
import { massOf, rootMeanSquare } from './figures.js'
import { spreadOf } from './gap.js'
import type { Peer } from './peer.js'
import type { Program } from './program.js'
import { keepsMass, type TrainingRun } from './training-run.js'

/** A round that has ended, and its model. */
export interface EndedRound {
  readonly round: number
  /** Why training ends with it, before all its rounds are over. */
  readonly ends: string | undefined
  readonly program: Program
  readonly model: Vector
  /** The senders of what arrived after their rounds. */
  readonly late: readonly PeerName[]
}

/** What a peer reports of a round. */
export function reportOf(
  peer: Peer,
  run: TrainingRun,
  { life, consensus }: Pick<Participation, 'life' | 'consensus'>,
  { round, ends, program, model, late }: EndedRound
): StepReport {
  const isTraining = program === run.training
  const { waited, missing, unsent, distances, outliers, moves } = peer.takeNotes()
  const { dual } = peer.gradients
  const gapPart = dual?.takePart(spreadOf(peer.mixings.of(round), distances))
  const mass = isTraining && keepsMass(run) ? massOf(run.training.state, run.training.role) : undefined
  return {
    round,
    phase: isTraining ? 'train' : 'average',
    loss: isTraining ? peer.gradients.loss : undefined,
    rate: isTraining ? run.settings.rate(round) : undefined,
    samples: peer.gradients.batches.drawn,
    ...(ends !== undefined && { ends }),
    life,
    consensus,
    gapPart,
    waited,
    disagreement: rootMeanSquare(distances),
    distances,
    outliers,
    missing,
    late,
    unsent,
    moves,
    mass: mass && { ...mass, lost: run.lostMass },
    parameters: model.values
  }
}
