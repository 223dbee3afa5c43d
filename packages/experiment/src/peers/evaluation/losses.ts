import { type AnyAlgorithm, endsWithLoss, hasEpochs, hasMembers } from '@murmuration/algorithms'
import type { PeerName } from '@murmuration/core'
import { failureKindOf, LostError } from '../../base/errors.js'
import type { LostEvent } from '../../base/events.js'
import type { Training } from '../../training/training-schema.js'

/** The peers of a swarm that lost their processes or gave up, in the order in which that was noticed. */
export class Losses {
  readonly #algorithm: AnyAlgorithm
  /** Whether the others continue in a new epoch. */
  readonly #hasEpochs: boolean
  #first: LostError | undefined

  constructor(algorithm: AnyAlgorithm, { onLoss }: Pick<Training['membership'], 'onLoss'>) {
    this.#algorithm = algorithm
    this.#hasEpochs = hasEpochs(algorithm) && onLoss === 'continue'
  }

  /** What is reported of a peer that ended with `error`. */
  of(peer: PeerName, error: Error): LostEvent {
    if (error instanceof LostError) this.#first ??= error
    const consequence = this.#consequenceOf(error)
    return { kind: 'lost', peer, reason: error.message, ...(consequence === undefined ? {} : { consequence }) }
  }

  /** An error of a peer that misses others, with the first lost process as its cause; any other error as it is. */
  withCause(error: unknown): unknown {
    if (this.#first === undefined || this.#first === error || failureKindOf(error) !== 'neighboursMissing') return error
    return new LostError(`${this.#first.message}; then ${(error as Error).message}`)
  }

  /** What follows for the others; undefined where that depends on what they wait for. */
  #consequenceOf(error: Error): string | undefined {
    const isNeeded = !hasMembers(this.#algorithm) && this.#algorithm.needs.delivery !== 'any'
    if (this.#hasEpochs || !isNeeded) return 'the others continue'
    if (!endsWithLoss(this.#algorithm) || !(error instanceof LostError)) return undefined
    return `${this.#algorithm.title} needs every peer, so the run ends`
  }
}
