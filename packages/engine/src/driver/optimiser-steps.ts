import { allFinite, isShorter, norm } from '@murmuration/vectors'
import type { StepOf } from '../record/optimiser-record.js'
import type { OptimiserSettings, State } from '../record/record.js'
import type { Layout } from '../vectors/layout.js'
import { maxSize, text } from '../vectors/sizes.js'
import { keepUntrained, trainedOf } from '../vectors/untrained.js'
import type { Vector } from '../vectors/vector.js'
import type { MessageChecks } from './message-checks.js'
import { optimiserOf } from './optimisers.js'
import type { RoundNotes } from './round-notes.js'

/** The steps of a peer's optimisers. */
export class OptimiserSteps {
  /** The state of each optimiser, by name. */
  states: Record<string, State> = {}
  readonly #layout: Layout
  readonly #rate: (round: number) => number
  readonly #checks: Pick<MessageChecks, 'diverged'>
  readonly #notes: Pick<RoundNotes, 'moved'> | undefined

  /** @param notes - hear of the steps of the run's optimiser, if any do */
  constructor(
    layout: Layout,
    rate: (round: number) => number,
    checks: Pick<MessageChecks, 'diverged'>,
    notes: Pick<RoundNotes, 'moved'> | undefined
  ) {
    this.#layout = layout
    this.#rate = rate
    this.#checks = checks
    this.#notes = notes
  }

  /** One step of an optimiser. Its state is kept under `slot`: 'main' for the run's optimiser. */
  step(slot: string, settings: OptimiserSettings, base: Vector, gradient: Vector, of: Required<StepOf>): Vector {
    const { offset, round } = of
    const { untrained, length } = this.#layout
    const [optimiser, options] = optimiserOf(settings)
    const key = base.length === length ? slot : `${slot} ${offset}`
    const state = this.states[key] ?? optimiser.start(options, base)
    const next = optimiser.step(options, state, base, gradient, this.#rate(round))
    this.states[key] = next.state
    const isMain = slot === 'main'
    if (untrained.length > 0)
      next.x.whenDone((out) => keepUntrained(out, untrained, { base, gradient, first: offset, isMain }))
    next.x.whenDone((numbers) => {
      if (isShorter(numbers, maxSize)) return
      // Frozen parameters may be of any size.
      const isFinite = allFinite(numbers)
      const size = isFinite ? norm(trainedOf(numbers, untrained, offset)) : Number.POSITIVE_INFINITY
      if (size < maxSize) return
      throw this.#checks.diverged(round, `the parameters ${isFinite ? `grew to ${text(size)}` : 'are not finite'}`)
    })
    if (isMain) this.#notes?.moved(base, next.x)
    return next.x
  }
}
