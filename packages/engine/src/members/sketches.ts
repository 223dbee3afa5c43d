import type { Fabric } from '@murmuration/core'
import { inSlices } from '../vectors/slices.js'
import { Consensus } from './consensus.js'

/** How often a model is sketched in a run: twice per report in a usual run. */
const sketchesInRun = 40

/** Sends others sketches of this peer's model, so that all can estimate how far apart their models are. */
export class Sketches {
  /** What follows from the sketches of all. */
  readonly consensus: Consensus
  readonly #fabric: Pick<Fabric<unknown>, 'self' | 'now' | 'sleep'>
  readonly #rounds: number
  /** Models are sketched after this many rounds. */
  readonly #every: number
  readonly #tell: (text: string) => void

  constructor(
    fabric: Pick<Fabric<unknown>, 'self' | 'now' | 'sleep'>,
    { seed, rounds }: { readonly seed: number; readonly rounds: number },
    tell: (text: string) => void
  ) {
    this.#fabric = fabric
    this.#rounds = rounds
    this.#every = Math.max(1, Math.floor(rounds / sketchesInRun))
    this.#tell = tell
    this.consensus = new Consensus(fabric.self, seed, rounds)
  }

  /** After a round: sketches the model, where it is time. Undefined where nothing is to be awaited. */
  after(round: number, model: Float32Array): Promise<void> | undefined {
    return (round + 1) % this.#every === 0 ? this.#send(round, model) : undefined
  }

  /** Sketches the final model. */
  final(model: Float32Array): Promise<void> | undefined {
    return this.#send(this.#rounds, model)
  }

  #send(round: number, model: Float32Array): Promise<void> | undefined {
    const tell = () => this.#tell(this.consensus.end(round))
    const slices = inSlices(this.#fabric, model.length, (from, to) => this.consensus.add(model, from, to))
    if (slices !== undefined) return slices.then(tell)
    tell()
    return undefined
  }
}
