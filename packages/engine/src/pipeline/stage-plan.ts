/** A run of layers that is not cut, as a planner sees it. */
export interface LayerCost {
  /** Forward and backward of a batch, in seconds, or any unit in which `rate` is given. */
  readonly time: number
  /** The size of what it hands to the next one for a batch, in bytes. */
  readonly activations: number
  /** The size of its parameters, in bytes. */
  readonly weights: number
}

/** What the stages may use. */
export interface PlanLimits {
  readonly peers: number
  /** Bytes a unit of time between two peers. */
  readonly rate: number
  /** How many peers each stage has; each stage as many as is best when absent. */
  readonly replicas?: number
  /** The most parameters that a peer has room for, in bytes; no limit when absent. */
  readonly memory?: number | undefined
}

/** Stages, and the peers for each. */
export interface StagePlan {
  /** The slowest stage or link, of which a batch needs so long when the pipeline is full. */
  readonly slowest: number
  /** The layers before which the model is cut, ascending; one less than there are stages. */
  readonly cuts: readonly number[]
  /** The peers of each stage. */
  readonly replicas: readonly number[]
}

/**
 * The stages whose slowest is as fast as possible: PipeDream's planner (Narayanan et al., SOSP 2019, section 3.1, in
 * the form of its program, for chains of layers). A stage with r replicas takes `(T + 4 (r − 1) W / (rate · r)) / r`,
 * with T its time and W its parameters; a cut takes `2 A / (rate · r)`, with A its activations. Undefined where no plan
 * has room.
 */
export function planStages(layers: readonly LayerCost[], limits: PlanLimits): StagePlan | undefined {
  const { peers, replicas: given } = limits
  const stageTime = stageTimes(layers, limits)
  const cutTime = (before: number, r: number) =>
    before === layers.length ? 0 : (2 * layers[before - 1].activations) / (limits.rate * r)
  /** Of the layers before `to`, on so many peers. */
  const best: (StagePlan | undefined)[][] = layers.concat(layers[0]).map(() => [])
  for (let to = 1; to <= layers.length; to++)
    for (let count = 1; count <= peers; count++) {
      if (given === undefined || given === count) best[to][count] = oneStage(stageTime(0, to, count), count)
      for (let from = 1; from < to; from++)
        for (let r = given ?? 1; r <= (given ?? count - 1); r++) {
          const before = best[from][count - r]
          if (before === undefined) continue
          const times = [before.slowest, stageTime(from, to, r), cutTime(from, r), cutTime(to, r)]
          const slowest = Math.max(...times)
          if (slowest < (best[to][count]?.slowest ?? Number.POSITIVE_INFINITY))
            best[to][count] = { slowest, cuts: [...before.cuts, from], replicas: [...before.replicas, r] }
        }
    }
  return best[layers.length][peers]
}

function oneStage(slowest: number, replicas: number): StagePlan | undefined {
  return slowest === Number.POSITIVE_INFINITY ? undefined : { slowest, cuts: [], replicas: [replicas] }
}

/** The time of the layers `from` to before `to` on r replicas; infinite where they have no room. */
function stageTimes(layers: readonly LayerCost[], { rate, memory = Number.POSITIVE_INFINITY }: PlanLimits) {
  const time = sumsOf(layers.map((layer) => layer.time))
  const weights = sumsOf(layers.map((layer) => layer.weights))
  return (from: number, to: number, r: number): number => {
    const size = weights[to] - weights[from]
    if (size > memory) return Number.POSITIVE_INFINITY
    return (time[to] - time[from] + (4 * (r - 1) * size) / (rate * r)) / r
  }
}

function sumsOf(values: readonly number[]): readonly number[] {
  const sums = [0]
  for (const value of values) sums.push(sums[sums.length - 1] + value)
  return sums
}
