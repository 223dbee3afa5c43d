/** A peer in its lines: it computes the gradients of all of them, pass by pass. */
import { type Envelope, type Milliseconds, NeighboursMissingError, type StageWorks } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Handler } from '../messages/inbox.js'
import { type LineFabric, type LineGradient, type LineOwner, type LineStep, StageLine } from './line.js'
import type { PipelineSettings } from './line.js'
import type { Pass } from './schedule.js'

/** A peer that has lines. */
export interface LinesPeer extends LineOwner {
  readonly handlers: { set(kind: number, handler: Handler): void }
}

/** A gradient under way. */
interface OpenGradient {
  readonly start: Milliseconds
  isComputing: boolean
  /** When a pass last ended here, or a message came. */
  active: Milliseconds
  /** How long passes have taken. */
  busy: Milliseconds
  failure: { readonly error: unknown } | undefined
}

/**
 * Computes gradients together with the peers of the other stages, micro-batch by micro-batch. A peer has one line, or
 * several where it has taken the places of others. Each pass is an activity of its own, one at a time, begun as soon as
 * its input is here and it is its turn in its line, whatever the record waits for meanwhile.
 */
export class StageLines {
  readonly #owner: LineOwner
  readonly #lines: ReadonlyMap<number, StageLine>
  readonly #weights: ReadonlyMap<number, number>
  readonly #kinds: Readonly<Record<Pass['direction'], number>>
  #gradient: OpenGradient | undefined

  /**
   * @param samples - of a gradient of a line: of a batch, or of all batches that it is the mean of
   * @param firstKind - the first of two wire numbers, the same at all peers
   */
  constructor(owner: LineOwner, works: StageWorks, settings: PipelineSettings, samples: number, firstKind: number) {
    const { lines, schedule, splitSize } = settings
    const { self } = owner.fabric
    this.#owner = owner
    this.#kinds = { forward: firstKind, backward: firstKind + 1 }
    this.#weights = lineWeights(settings, self)
    const areChanged = this.#weights.size > 1 || [...this.#weights.values()].some((weight) => weight !== 1)
    const traits = { schedule, splitSize, kinds: this.#kinds, ownsGradients: areChanged }
    const microBatches = samples / splitSize
    this.#lines = new Map(
      [...this.#weights.keys()].map((index) => [
        index,
        new StageLine(owner, works, { ...traits, microBatches, index, peers: lines[index] })
      ])
    )
  }

  /** How many lines there are: a gradient needs as many times the samples of one. */
  get count(): number {
    return this.#lines.size
  }

  /** The handlers of its messages, by kind. */
  get handlers(): readonly (readonly [number, Handler])[] {
    const handler = (direction: Pass['direction']): Handler => ({
      accept: (envelope) => this.#accept(direction, envelope)
    })
    return (['forward', 'backward'] as const).map((direction) => [this.#kinds[direction], handler(direction)])
  }

  /**
   * Computes a gradient of each line; one at a time. The passes begin at once, and end while the result or anything
   * else is awaited.
   *
   * @param step - with the samples of each line, one line after the other
   */
  gradients(step: LineStep): PromiseLike<readonly LineGradient[]> {
    const { fabric, timeout } = this.#owner
    const start = fabric.now()
    const gradient: OpenGradient = { start, isComputing: false, active: start, busy: 0, failure: undefined }
    const each = step.samples.length / this.count
    for (const [place, line] of [...this.#lines.values()].entries())
      line.begin({ ...step, samples: step.samples.subarray(place * each, (place + 1) * each) })
    this.#gradient = gradient
    this.#advance()
    const expectation = {
      isDone: () => gradient.failure !== undefined || this.#isDone(gradient),
      deadline: () => (gradient.isComputing ? Number.POSITIVE_INFINITY : gradient.active + timeout),
      awaited: () => this.#awaited(gradient).map(({ peer }) => peer),
      outcome: () => this.#outcome(gradient, step.round)
    }
    let taken: Promise<readonly LineGradient[]> | undefined
    return {
      then: (onFulfilled, onRejected) => (taken ??= this.#owner.until(expectation)).then(onFulfilled, onRejected)
    }
  }

  #isDone({ isComputing }: OpenGradient): boolean {
    return !isComputing && [...this.#lines.values()].every(({ isDone }) => isDone)
  }

  #awaited({ isComputing }: OpenGradient) {
    return isComputing ? [] : [...this.#lines.values()].flatMap((line) => line.awaited ?? [])
  }

  #outcome(gradient: OpenGradient, round: number): readonly LineGradient[] {
    const { failure, start, busy } = gradient
    const { fabric, timeout } = this.#owner
    if (failure !== undefined) throw failure.error
    if (!this.#isDone(gradient)) {
      const [{ peer, stage }] = this.#awaited(gradient)
      const silence = `has sent nothing for ${timeout / 1000} s in round ${round}`
      throw new NeighboursMissingError([peer], `${peer}, stage ${stage} of the line, ${silence}`)
    }
    this.#owner.waited(Math.max(0, fabric.now() - start - busy))
    this.#gradient = undefined
    return [...this.#lines].map(([index, line]) => ({ ...line.end(), weight: this.#weights.get(index) ?? 1 }))
  }

  /** Begins the next pass, if its input is here. */
  #advance(): void {
    const gradient = this.#gradient
    if (gradient === undefined || gradient.isComputing) return
    for (const line of this.#lines.values()) {
      const act = line.next()
      if (act !== undefined) return this.#during(gradient, act)
    }
  }

  /** Runs an activity beside what the record waits for, and then begins what can follow. */
  #during(gradient: OpenGradient, act: (fabric: LineFabric) => Promise<void>): void {
    gradient.isComputing = true
    this.#owner.fabric.spawn(async (fabric) => {
      const start = fabric.now()
      try {
        await act(fabric)
      } catch (error) {
        if (fabric.isStopping) throw error
        gradient.failure = { error }
      }
      gradient.active = fabric.now()
      gradient.busy += gradient.active - start
      gradient.isComputing = false
      // The session may have ended meanwhile: then nobody needs the rest.
      if (gradient.failure === undefined && !this.#owner.arena.isClosed) this.#advance()
      fabric.wake()
    })
  }

  #accept(direction: Pass['direction'], envelope: Envelope<VectorMessage>): void {
    const { numbers = [] } = envelope.message
    const line = this.#lines.get(numbers[1])
    const problem = line === undefined ? `a pass of a line that it has no place in` : line.accept(direction, envelope)
    if (problem !== undefined) return this.#owner.fabric.reject(envelope, problem)
    if (this.#gradient !== undefined) this.#gradient.active = this.#owner.fabric.now()
    this.#advance()
  }
}

/**
 * The lines of a peer, and what a gradient of each counts: the replicas of a stage average theirs with equal weights,
 * so that `r / l` makes of their mean that over the lines, with r replicas and l lines.
 */
function lineWeights({ lines, weights }: PipelineSettings, self: string): ReadonlyMap<number, number> {
  const own = lines.flatMap((line, index) => (line.some((peer) => peer === self) ? [index] : []))
  const stage = lines[own[0]]?.findIndex((peer) => peer === self) ?? 0
  const replicas = new Set(lines.map((line) => line[stage])).size
  return new Map(own.map((index) => [index, ((weights?.[index] ?? 1) * replicas) / lines.length]))
}
