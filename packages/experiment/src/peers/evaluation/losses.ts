import { type LossRule, stagesWithout } from '@murmuration/algorithms'
import type { PeerName } from '@murmuration/core'
import { failureKindOf, LostError } from '../../base/errors.js'
import type { LostEvent } from '../../base/events.js'
import { lossRuleOf, type RunPlan } from '../../training/plan.js'

/** The peers of a swarm that lost their processes or gave up, in the order in which that was noticed. */
export class Losses {
  readonly #rule: LossRule
  /** The services with a shared store that are left. */
  readonly #services: Set<PeerName>
  readonly #lines: NonNullable<RunPlan['file']['pipeline']>['lines']
  readonly #lost = new Set<PeerName>()
  #first: LostError | undefined

  constructor({ options, training, file }: Pick<RunPlan, 'options' | 'training' | 'file'>) {
    const { algorithm } = options
    this.#rule = lossRuleOf({ options, training, file })
    this.#lines = file.pipeline?.lines ?? [[]]
    this.#services = new Set(algorithm.needs.store === undefined ? [] : file.servers.map(({ name }) => name))
  }

  /** What is reported of a peer that ended with `error`. */
  of(peer: PeerName, error: Error): LostEvent {
    if (error instanceof LostError) this.#first ??= error
    const consequence = this.#consequenceOf(peer, error)
    return { kind: 'lost', peer, reason: error.message, ...(consequence === undefined ? {} : { consequence }) }
  }

  /** An error of a peer that misses others, with the first lost process as its cause; any other error as it is. */
  withCause(error: unknown): unknown {
    if (this.#first === undefined || this.#first === error || failureKindOf(error) !== 'neighboursMissing') return error
    return new LostError(`${this.#first.message}; then ${(error as Error).message}`)
  }

  /** What follows for the others; undefined of a peer that ends since another was lost. */
  #consequenceOf(peer: PeerName, error: Error): string | undefined {
    const { onLoss, because } = this.#rule
    if (this.#services.delete(peer) && this.#services.size === 0) return 'no service is left, so the run ends'
    this.#lost.add(peer)
    if (onLoss !== 'ends') {
      const [stage] = stagesWithout(this.#lines, (name) => !this.#lost.has(name))
      if (stage === undefined) return 'the others continue'
      return error instanceof LostError ? `nobody is left who trains stage ${stage}, so the run ends` : undefined
    }
    return error instanceof LostError ? `${because}, so the run ends` : undefined
  }
}
