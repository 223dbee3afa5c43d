/** Models in stages: what files say of them, and what each peer makes of it. */
import { type AnySettings, optionsOn, planStages, type PipelineSettings, usualSplitSize } from '@murmuration/algorithms'
import { InputError, type Links, type PeerName, type TaskPart, type Topology } from '@murmuration/core'
import { grouped } from '@murmuration/data/peer'
import type { PipelineOfFile, TopologyFile } from '@murmuration/files'
import { type AlgorithmChoice, givenOptions, recordOf } from './algorithm-choice.js'
import type { Training } from './training-schema.js'

/** How batches are split; the cuts are found when the model is known. */
export function pipelineSettings(
  { pipeline }: Pick<TopologyFile, 'pipeline'>,
  { pipeline: given, batch }: Pick<Training, 'pipeline' | 'batch'>
): PipelineSettings | undefined {
  const { splitSize = 'auto', schedule = '1f1b' } = given ?? {}
  if (pipeline === undefined) return undefined
  const { lines } = pipeline
  return { schedule, lines, splitSize: splitSize === 'auto' ? usualSplitSize(batch, lines[0].length) : splitSize }
}

/**
 * Why the files cannot be run with stages, each in a sentence; also where only one of them says that there are some.
 */
export function pipelineRefusals(
  { pipeline }: TopologyFile,
  training: Pick<Training, 'pipeline' | 'batch' | 'codec' | 'stop'>,
  algorithm: AlgorithmChoice
): readonly string[] {
  const { splitSize, cuts } = training.pipeline ?? {}
  if (pipeline === undefined)
    return training.pipeline === undefined ? [] : ['found pipeline in the training file, expected stages: here too']
  const stages = pipeline.lines[0].length
  const refused = [...wholeModelRefusals(recordOf(algorithm))]
  if (Array.isArray(givenOptions(algorithm).order))
    refused.push('order: found names, expected names or links as a word: each stage has other peers')
  if (training.stop !== undefined)
    refused.push('stop: found a rule and stages, expected one of them: no peer has the whole model to evaluate it')
  if (typeof splitSize === 'number' && training.batch % splitSize !== 0)
    refused.push(`pipeline.splitSize: found ${splitSize}, expected a divisor of batch, which is ${training.batch}`)
  if (
    Array.isArray(cuts) &&
    (cuts.length !== stages - 1 || cuts.some((cut, index) => index > 0 && cut <= cuts[index - 1]))
  )
    refused.push(
      `pipeline.cuts: found ${cuts.join(', ')}, expected ${stages - 1} ascending layers for ${stages} stages`
    )
  if (training.codec !== 'float32' && training.codec !== 'float16')
    refused.push(`codec: found ${training.codec}, expected float32 or float16: activations differ too much for others`)
  return refused
}

/** Why an algorithm cannot train a part of a model at each peer. */
function wholeModelRefusals({ title, kind, needs, ...record }: AnySettings['algorithm']): readonly string[] {
  if (kind === 'rows') return [`${title} trains rows, which are divided among the peers already, without stages`]
  if (needs.dual === true || needs.kernel === true)
    return [`${title} computes no gradients, of which each stage has its own; omit stages`]
  if ('done' in record && record.done !== undefined)
    return [`${title} decides by its model when it is done, of which each stage has another; omit stages`]
  return []
}

/** Those that divide the data: the peers, or the lines, named as their first peers. */
export function sharersOf({ topology, pipeline }: Pick<TopologyFile, 'topology' | 'pipeline'>): readonly PeerName[] {
  return pipeline?.lines.map(([first]) => first) ?? topology.peers
}

/** The place of a peer: its line, from 0, and its stage. */
export function placeInLines({ lines }: Pick<PipelineOfFile, 'lines'>, peer: PeerName) {
  const line = lines.findIndex((peers) => peers.includes(peer))
  return { line, stage: lines[line].indexOf(peer) }
}

/** The peers that train the same stage, in the order of names. */
export function replicasOf({ lines }: Pick<PipelineOfFile, 'lines'>, stage: number): readonly PeerName[] {
  return lines.map((line) => line[stage]).sort()
}

/** What an algorithm's options become among peers on this graph and these links. */
export function optionsAmong(
  topology: Topology,
  links: Links,
  algorithm: AlgorithmChoice
): Readonly<Record<string, unknown>> {
  return optionsOn(recordOf(algorithm), topology, givenOptions(algorithm), links)
}

const settingsOfStages = new WeakMap<object, Map<number, unknown>>()

/**
 * The settings of one stage's peers, among which its parameters are averaged: orders and trees follow from the links
 * between them. The same object for all of them.
 */
export function settingsOfStage<Given extends AnySettings>(
  settings: Given,
  { pipeline, links }: Pick<TopologyFile, 'pipeline' | 'links'>,
  algorithm: AlgorithmChoice,
  stage: number
): Given {
  if (pipeline === undefined) return settings
  const ofStages = settingsOfStages.get(settings) ?? new Map<number, unknown>()
  settingsOfStages.set(settings, ofStages)
  const known = ofStages.get(stage) ?? {
    ...settings,
    options: optionsAmong(pipeline.stages[stage], links, algorithm),
    workers: replicasOf(pipeline, stage)
  }
  ofStages.set(stage, known)
  return known as Given
}

/** The parts of a model that each stage has: those from one number to before the next. */
export type PartEnds = readonly number[]

/** Where a model is to be cut. */
interface CutSettings {
  /** Before these layers; `auto` when absent. */
  readonly cuts?: 'auto' | readonly number[] | undefined
  readonly batch: number
  /** How many bytes of parameters each peer has room for; any when absent. */
  readonly room?: number | undefined
}

/**
 * The first part of each stage, and the end. Without cuts, stages have about as much to compute each, by what is known
 * of the layers: all peers come to the same cuts, which measured times would not give.
 *
 * @throws InputError for a model that cannot be cut so
 */
export function endsOf(
  parts: readonly TaskPart[] | undefined,
  { lines, splitSize }: PipelineSettings,
  { cuts = 'auto', batch, room }: CutSettings
): PartEnds {
  const stages = lines[0].length
  if (parts === undefined) throw new InputError('the task has no layers, so its model cannot be cut into stages')
  const possible = parts.slice(1).map(({ layer }) => layer)
  if (stages > parts.length)
    throw new InputError(
      `the model is to have ${stages} stages, but has ${parts.length} parts: it can be cut before ${listed(possible)}, where one tensor passes and there is something to train on both sides`
    )
  if (splitSize < batch && parts.some(({ mixesSamples }) => mixesSamples))
    throw new InputError(
      `the model has batch normalisation, whose statistics of micro-batches are not those of the batch: give pipeline: { splitSize: ${batch} }, the whole batch, or another normalisation`
    )
  if (cuts === 'auto') return [0, ...balancedCuts(parts, stages, room), parts.length]
  const places = cuts.map((cut) => {
    const index = parts.findIndex(({ layer }) => layer === cut)
    if (index > 0) return index
    throw new InputError(
      `pipeline.cuts: found ${cut}, expected some of ${listed(possible)}: elsewhere several tensors pass, as within a residual block, or a stage has nothing to train`
    )
  })
  return [0, ...places, parts.length]
}

function listed(layers: readonly number[]): string {
  return layers.length === 0 ? 'no layer' : `layer ${layers.join(', ')}`
}

/** As even as they can be with room for each stage, or without, if there is none. */
function balancedCuts(parts: readonly TaskPart[], stages: number, room?: number): readonly number[] {
  const layers = parts.map(({ operations, outputs, parameters }) => {
    return { time: operations + 1, activations: outputs, weights: 4 * parameters }
  })
  const limits = { peers: stages, replicas: 1, rate: Number.POSITIVE_INFINITY }
  const plan = planStages(layers, { ...limits, memory: room }) ?? planStages(layers, limits)
  return plan?.cuts ?? []
}

/** The most numbers of a vector that the peers send: a stage's parameters, or a micro-batch between two stages. */
export function longestVector(parts: readonly TaskPart[], ends: PartEnds, splitSize: number, targets: number): number {
  const stages = ends.slice(1).map((end, stage) => parts.slice(ends[stage], end))
  const parameters = stages.map((ofStage) => ofStage.reduce((sum, part) => sum + part.parameters, 0))
  const passed = stages.slice(0, -1).map((ofStage) => splitSize * (ofStage[ofStage.length - 1].outputs + targets))
  return Math.max(...parameters, ...passed)
}

/** A stage in words: `1 of 0 to 2, layers from 4 to 6, 12,345 parameters`. */
export function stageText(parts: readonly TaskPart[], ends: PartEnds, stage: number): string {
  const own = parts.slice(ends[stage], ends[stage + 1])
  const next = parts[ends[stage + 1]]?.layer
  const layers = `layers from ${own[0].layer}${next === undefined ? ' on' : ` to ${next - 1}`}`
  return `${stage} of 0 to ${ends.length - 2}, ${layers}, ${grouped(own.reduce((sum, part) => sum + part.parameters, 0))} parameters`
}
