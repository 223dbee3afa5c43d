import type { Random } from '@murmuration/core'
import type { NetworkParts } from './dense/network.js'
import type { Loss } from './loss.js'

/** The parts of a task over a built model. */
export interface TfjsTaskParts extends NetworkParts {
  readonly loss: Loss
  /** Whether to start from the model's own weights. */
  readonly keepWeights: boolean
  /** The draws of the model's steps, such as dropout, come from its streams by round. */
  readonly random: Random
  /** The path of the user's module that made the model, if any. */
  readonly userModule?: string
  /** Whether weights take memory when they are first used: for a task of which only a stage is. */
  readonly hasLateWeights?: boolean
  /** Whether a text is learned, by cross-entropy. */
  readonly isLanguageModel: boolean
  readonly about: Readonly<Record<string, string>>
}
