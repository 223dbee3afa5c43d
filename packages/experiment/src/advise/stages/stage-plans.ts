/** Into which stages to cut a model for given peers and links, and how long a round takes then. */
import {
  bestSplitSize,
  collectiveOn,
  idealMicroBatches,
  planStages,
  type Schedule,
  stepTime
} from '@murmuration/algorithms'
import { byName, type Links, type Milliseconds, type PeerName, type TaskPart } from '@murmuration/core'
import { linesOf, millisecondsFor, packAllReduce, ringOrder } from '@murmuration/topology'
import type { PartTimes } from './part-times.js'

/** A model in stages on some peers. */
export interface StagesOfPlan {
  readonly lines: readonly (readonly PeerName[])[]
  /** The layers before which the model is cut. */
  readonly cuts: readonly number[]
  readonly splitSize: number
  /** A gradient of the slowest line, and then an all-reduce among the peers of the slowest stage. */
  readonly round: Milliseconds
  /** Of that, the all-reduce. */
  readonly averaging: Milliseconds
  /** The fraction of the gradient's time in which the peers of a line wait, 0 … 1. */
  readonly idle: number
}

/** What stages are planned for. */
export interface StagesWanted {
  readonly peers: readonly PeerName[]
  readonly links: Links
  readonly parts: readonly TaskPart[]
  readonly times: readonly PartTimes[]
  /** Numbers of a sample that go through all stages. */
  readonly targets: number
  readonly batch: number
  readonly schedule: Schedule
  /** How many bytes of parameters a peer has room for, alone and with others of its stage; any when absent. */
  readonly room?: ((hasReplicas: boolean) => number) | undefined
}

/** Packing trees takes the longer, the more peers there are. */
const maxPacked = 24

/** A plan for each number of stages that divides the peers and has room, the fastest by the batch first. */
export function stagePlans(wanted: StagesWanted): readonly StagesOfPlan[] {
  const { peers, parts } = wanted
  const counts = peers.map((_, index) => index + 1).filter((count) => count > 1 && peers.length % count === 0)
  const plans = counts.filter((count) => count <= parts.length).flatMap((count) => planOf(wanted, count) ?? [])
  return plans.sort((left, right) => perBatch(left) - perBatch(right))
}

/** How long a plan takes for each batch: its lines compute one each in a round. */
export function perBatch({ round, lines }: Pick<StagesOfPlan, 'round' | 'lines'>): Milliseconds {
  return round / lines.length
}

/** The best of the placements of so many stages. */
function planOf(wanted: StagesWanted, stages: number): StagesOfPlan | undefined {
  const { peers, parts, times, batch, links, room } = wanted
  const replicas = peers.length / stages
  const layers = parts.map(({ outputs, parameters }, index) => ({
    time: passOf(times[index].forward, batch) + passOf(times[index].backward, batch),
    activations: 4 * outputs * batch,
    weights: 4 * parameters
  }))
  const rate = Math.min(...peers.flatMap((from) => peers.flatMap((to) => (from === to ? [] : rateOf(links, from, to)))))
  const plan = planStages(layers, { peers: peers.length, replicas, rate, memory: room?.(replicas > 1) })
  if (plan === undefined) return undefined
  const ends = [0, ...plan.cuts, parts.length]
  const placed = placements(peers, links, stages).map((lines) => onLines(wanted, ends, lines))
  return placed.reduce((best, each) => (each.round < best.round ? each : best))
}

/**
 * Near each other are the peers of a line, or those of a stage (both are tried, as by Yuan et al., NeurIPS 2022): in
 * the order of the file, and in that of a ring over the links.
 */
function placements(peers: readonly PeerName[], links: Links, stages: number) {
  const orders = [peers, ringOrder([...peers].sort(byName), links)]
  return orders.flatMap((order) => {
    const lines = order.length / stages
    const across = Array.from({ length: lines }, (_, line) => order.filter((_name, place) => place % lines === line))
    return lines === 1 ? [across] : [linesOf(order, stages), across]
  })
}

function onLines(wanted: StagesWanted, ends: readonly number[], lines: StagesOfPlan['lines']): StagesOfPlan {
  const { parts, batch, schedule, links } = wanted
  const stages = ends.length - 1
  const shape = (microBatches: number) => ({ schedule, stages, microBatches })
  const stepOf = (microBatches: number) => {
    const size = batch / microBatches
    const passes = stageTimes(wanted, ends, size)
    const steps = lines.map((line) => stepTime(shape(microBatches), passes, hopsOf(wanted, ends, line, size)))
    return steps.reduce((slowest, step) => (step.time > slowest.time ? step : slowest))
  }
  const [whole, none] = [batch, 0].map((samples) => stageTimes(wanted, ends, samples))
  const sum = (all: typeof whole) => all.reduce((total, { forward, backward }) => total + forward + backward, 0)
  const ideal = idealMicroBatches(sum(whole), stages, Math.max(sum(none) / stages, Number.MIN_VALUE))
  const isWhole = parts.some(({ mixesSamples }) => mixesSamples)
  const splitSize = isWhole
    ? batch
    : bestSplitSize(batch, Math.min(ideal, batch), (microBatches) => stepOf(microBatches).time)
  const { time, idle } = stepOf(batch / splitSize)
  const averaging = Math.max(
    ...ends.slice(1).map((end, stage) => {
      const bytes = 4 * parts.slice(ends[stage], end).reduce((total, { parameters }) => total + parameters, 0)
      return allReduceTime(
        lines.map((line) => line[stage]),
        links,
        bytes
      )
    })
  )
  const cuts = ends.slice(1, -1).map((end) => parts[end].layer)
  return { lines, cuts, splitSize, round: time + averaging, averaging, idle }
}

/** The passes of each stage; the last one computes both at once. */
function stageTimes({ times }: StagesWanted, ends: readonly number[], samples: number) {
  return ends.slice(1).map((end, stage) => {
    const own = times.slice(ends[stage], end)
    const sum = (direction: keyof PartTimes) => own.reduce((total, part) => total + passOf(part[direction], samples), 0)
    return { forward: end === times.length ? 0 : sum('forward'), backward: sum('backward') }
  })
}

function hopsOf(
  { parts, targets, links }: StagesWanted,
  ends: readonly number[],
  line: readonly PeerName[],
  size: number
) {
  return line.slice(1).map((to, stage) => {
    const from = line[stage]
    const bytes = 4 * size * (parts[ends[stage + 1] - 1].outputs + targets)
    const rate = Math.min(rateOf(links, from, to), rateOf(links, to, from))
    const latency = Math.max(links.path(from, to).latency, links.path(to, from).latency)
    return { latency, transfer: bytes / rate }
  })
}

/** Bytes per millisecond from one peer to another, if nothing else uses their lines. */
function rateOf(links: Links, from: PeerName, to: PeerName): number {
  const { bandwidth, pipes } = links.path(from, to)
  const rates = [links.access(from).up, links.access(to).down, bandwidth, ...pipes.map((pipe) => pipe.bandwidth)]
  return Math.min(...rates) / 8000
}

function allReduceTime(peers: readonly PeerName[], links: Links, bytes: number): Milliseconds {
  if (peers.length === 1) return 0
  const sorted = [...peers].sort(byName)
  const latency = Math.max(...sorted.flatMap((from) => sorted.map((to) => links.path(from, to).latency)))
  const rate = Math.min(
    ...sorted.flatMap((from) => sorted.flatMap((to) => (from === to ? [] : rateOf(links, from, to))))
  )
  // Each peer sends and receives all but its own part, twice.
  const plain = 2 * latency + (2 * (peers.length - 1) * bytes) / (peers.length * rate)
  if (rate === Number.POSITIVE_INFINITY || peers.length > maxPacked) return plain
  if (packAllReduce(sorted, links).bound === Number.POSITIVE_INFINITY) return plain
  const { candidates = [] } =
    collectiveOn({ peers: sorted }, links, { collective: 'auto', order: 'links' }).collective ?? {}
  return Math.min(plain, ...candidates.map(({ time }) => millisecondsFor(time, bytes)))
}

function passOf({ perPass, perSample }: PartTimes['forward'], samples: number): Milliseconds {
  return perPass + samples * perSample
}
