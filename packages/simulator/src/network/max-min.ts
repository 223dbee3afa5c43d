import { invariant } from '@murmuration/core'
import TinyQueue from 'tinyqueue'

/** The initial capacity for uses: a list that grows by itself has room for at least 17. */
const usualUses = 4

/** A line in one direction, shared by flows. */
export class Line {
  /** The uses of flows on this line: the first `count`. A list that shrinks would be reallocated. */
  readonly #uses = new Array<Use>(usualUses)
  count = 0
  /** Whether a flow has begun or ended since the rates were computed. */
  isChanged = false
  /** The last solution whose region includes it, and the last filling that touched it. */
  region = 0
  filling = 0
  /** During filling: the capacity left, the total use that shares it, and the number of open flows. */
  remaining = 0
  load = 0
  open = 0

  /** @param capacity - bytes per millisecond, above 0 */
  constructor(
    readonly name: string,
    readonly capacity: number,
    /** For errors. */
    readonly kind = 'line'
  ) {
    invariant(capacity > 0, () => `the ${kind} ${name} carries ${capacity} bytes per millisecond, expected more than 0`)
  }

  /** The use with an index below `count`. */
  use(index: number): Use {
    return this.#uses[index]
  }

  add(use: Use): void {
    use.index = this.count
    this.#uses[this.count++] = use
  }

  /** The last use moves to the index of the one that is removed. */
  remove(use: Use): void {
    const last = this.#uses[--this.count]
    this.#uses[use.index] = last
    last.index = use.index
    use.index = -1
  }
}

/** A line on a flow's path, and how many of its bytes one byte of the flow takes. */
export class Use {
  /** Its index in the line's list; −1 if it is not there. */
  index = -1
  #flow: NetworkFlow | undefined

  constructor(
    readonly line: Line,
    readonly fraction: number
  ) {}

  /** The flow that was made with this use. */
  get flow(): NetworkFlow {
    return this.#flow as NetworkFlow
  }

  set flow(flow: NetworkFlow) {
    this.#flow = flow
  }
}

/** A stream of bytes from one place to another, over some lines. */
export class NetworkFlow {
  /** Bytes per millisecond. */
  rate = 0
  /** The reason for its rate: a full line on which no flow is faster. Undefined when it is its own cap. */
  bottleneck: Line | undefined
  region = 0
  /** The result of filling; below 0 for none yet. */
  nextRate = -1
  nextBottleneck: Line | undefined

  /** @param cap - the most bytes per millisecond; Infinity when only the lines limit it */
  constructor(
    readonly uses: readonly Use[],
    readonly cap: number
  ) {
    invariant(uses.length > 0 || cap < Infinity, 'a flow with no line and no cap has no rate')
    for (const use of uses) use.flow = this
  }
}

/** The relative difference up to which rates count as equal, because of rounding. */
const tolerance = 1e-9

/**
 * Max-min fair rates: no flow can get more without another one that has no more getting less (Bertsekas & Gallager,
 * Data Networks, section 6.5.2, by progressive filling). Equivalently: every flow is at its cap or uses a full line on
 * which no flow is faster. This certificate makes it possible to solve again only where something changed: the flows on
 * changed lines are filled while all others keep their rates, and the region grows by the lines on which the
 * certificate then fails.
 */
export class MaxMin {
  #changed: Line[] = []
  readonly #alone = new Set<NetworkFlow>()
  #regions = 0
  #fillings = 0

  /** A flow begins. Its rate is known after `solve`. */
  add(flow: NetworkFlow): void {
    for (const use of flow.uses) {
      use.line.add(use)
      this.#change(use.line)
    }
    if (flow.uses.length === 0) this.#alone.add(flow)
  }

  /** A flow ends. */
  remove(flow: NetworkFlow): void {
    for (const use of flow.uses) {
      use.line.remove(use)
      this.#change(use.line)
    }
    if (flow.uses.length === 0) this.#alone.delete(flow)
    flow.rate = 0
  }

  #change(line: Line): void {
    if (line.isChanged) return
    line.isChanged = true
    this.#changed.push(line)
  }

  /** Computes the rates after all changes since the last call, and calls `onChange` for each rate that changes. */
  solve(onChange: (flow: NetworkFlow, rate: number) => void): void {
    for (const flow of this.#alone) onChange(flow, flow.cap)
    this.#alone.clear()
    const region = ++this.#regions
    const flows: NetworkFlow[] = []
    let grow: readonly Line[] = this.#changed
    for (;;) {
      for (const line of grow) draw(line, region, flows)
      const touched = this.#fill(flows, region)
      const broken = touched.filter((line) => line.region !== region && isBroken(line, region))
      if (broken.length === 0) break
      grow = broken
    }
    for (const line of this.#changed) line.isChanged = false
    this.#changed = []
    for (const flow of flows) {
      flow.bottleneck = flow.nextBottleneck
      if (Math.abs(flow.nextRate - flow.rate) > tolerance * flow.rate) onChange(flow, flow.nextRate)
    }
  }

  /** Progressive filling of `flows` within the capacity that the others leave. Returns the lines that they use. */
  #fill(flows: readonly NetworkFlow[], region: number): Line[] {
    const touched = this.#open(flows, region)
    const next = new TinyQueue<Limit>(limitsOf(flows, touched), (a, b) => a.rate - b.rate)
    for (let limit = next.pop(); limit !== undefined; limit = next.pop()) {
      if (limit.flow !== undefined) {
        if (limit.flow.nextRate < 0) freeze(limit.flow, limit.rate, undefined)
        continue
      }
      const { line } = limit
      if (line.open === 0) continue
      const rate = Math.max(0, line.remaining) / line.load
      if (rate > limit.rate * (1 + tolerance)) {
        next.push({ rate, line })
        continue
      }
      for (let index = 0; index < line.count; index++) {
        const { flow } = line.use(index)
        if (flow.region === region && flow.nextRate < 0) freeze(flow, rate, line)
      }
    }
    for (const line of touched) {
      invariant(
        line.remaining >= -1e-6 * line.capacity,
        () => `the ${line.kind} ${line.name} is ${-line.remaining} B/ms over its capacity`
      )
    }
    return touched
  }

  #open(flows: readonly NetworkFlow[], region: number): Line[] {
    const filling = ++this.#fillings
    const touched: Line[] = []
    for (const flow of flows) {
      flow.nextRate = -1
      for (const { line, fraction } of flow.uses) {
        if (line.filling !== filling) {
          line.filling = filling
          line.remaining = line.region === region ? line.capacity : line.capacity - takenByOthers(line, region)
          line.load = 0
          line.open = 0
          touched.push(line)
        }
        line.load += fraction
        line.open++
      }
    }
    return touched
  }
}

/** The rate at which a line is full, or a flow at its cap. */
type Limit =
  | { readonly rate: number; readonly line: Line; readonly flow?: undefined }
  | { readonly rate: number; readonly flow: NetworkFlow }

function limitsOf(flows: readonly NetworkFlow[], touched: readonly Line[]): Limit[] {
  const limits: Limit[] = touched.map((line) => ({ rate: Math.max(0, line.remaining) / line.load, line }))
  for (const flow of flows) if (flow.cap < Infinity) limits.push({ rate: flow.cap, flow })
  return limits
}

function freeze(flow: NetworkFlow, rate: number, bottleneck: Line | undefined): void {
  flow.nextRate = rate
  flow.nextBottleneck = bottleneck
  for (const { line, fraction } of flow.uses) {
    line.remaining -= rate * fraction
    line.load -= fraction
    line.open--
  }
}

/** Adds a line and all its flows to the region that is solved. */
function draw(line: Line, region: number, flows: NetworkFlow[]): void {
  line.region = region
  for (let index = 0; index < line.count; index++) {
    const { flow } = line.use(index)
    if (flow.region === region) continue
    flow.region = region
    flows.push(flow)
  }
}

function takenByOthers(line: Line, region: number): number {
  let taken = 0
  for (let index = 0; index < line.count; index++) {
    const { flow, fraction } = line.use(index)
    if (flow.region !== region) taken += flow.rate * fraction
  }
  return taken
}

/** Whether a line at the edge of the region no longer certifies the rate of a flow inside or outside. */
function isBroken(line: Line, region: number): boolean {
  let fastestWithin = 0
  let fastestOutside = 0
  for (let index = 0; index < line.count; index++) {
    const { flow } = line.use(index)
    if (flow.region === region) fastestWithin = Math.max(fastestWithin, flow.nextRate)
    else fastestOutside = Math.max(fastestOutside, flow.rate)
  }
  const isFull = line.remaining <= tolerance * line.capacity
  for (let index = 0; index < line.count; index++) {
    const { flow } = line.use(index)
    const isWithin = flow.region === region
    if ((isWithin ? flow.nextBottleneck : flow.bottleneck) !== line) continue
    if (isWithin && flow.nextRate < fastestOutside * (1 - tolerance)) return true
    if (!isWithin && (!isFull || flow.rate < fastestWithin * (1 - tolerance))) return true
  }
  return false
}
