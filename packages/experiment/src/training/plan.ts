import {
  type AnyAlgorithm,
  type AnySettings,
  type LossRule,
  lossRule,
  refusals,
  type Surroundings
} from '@murmuration/algorithms'
import { InputError, type Links, type PeerName, type TaskDescription, type Topology } from '@murmuration/core'
import type { Settings } from '@murmuration/libp2p/settings'
import { contraction, graphLabel, structureFindings } from '@murmuration/topology'
import type { TopologyFile } from '@murmuration/files'
import { algorithmLabel, givenOptions, optionTexts, recordOf } from './algorithm-choice.js'
import { continuesInEpochs, finalRoundsOn } from './epoch-settings.js'
import type { StartEvent } from '../base/events.js'
import { optionsAmong, pipelineRefusals, pipelineSettings, placeInLines, settingsOfStage } from './pipeline.js'
import { runSettings } from './run-settings.js'
import { taskRefusals } from './task-choice.js'
import { stopRefusal } from './stop-choice.js'
import { checkStore } from './store-choice.js'
import { taskDescription } from './task-description.js'
import { optimiserText, type TrainingOverrides } from './training-file.js'
import { localWeights, type Training } from './training-schema.js'
import { trainingSettings } from './training-settings.js'

/** The files and options of a run, from the command line. Can be sent to another process. */
export interface RunRequest extends TrainingOverrides {
  /** A topology file; with `method`, a scenario. */
  readonly topology: string
  readonly train?: string
  /** The label of a scenario's method, in place of a training. */
  readonly method?: string
  /** Separates this run from others in a store; if absent, runs of the same settings are one. */
  readonly runId?: string
  /** The file of the model that real peers start from; the seed determines their start when absent. */
  readonly init?: string | undefined
  /** A file with the links that shape the connections of real peers, in place of the topology's. */
  readonly links?: string | undefined
}

/** All that the peers of a run have in common. The same request gives the same plan on every machine. */
export interface RunPlan {
  /** The topology file's path, as it was given. */
  readonly path: string
  readonly file: TopologyFile
  readonly training: Training
  readonly options: AnySettings & { readonly finalRounds: number }
  readonly spectralGap: number
  /** Every setting that all peers must share: a peer with other settings is refused. */
  readonly settings: Settings
  /** The links that shape the connections: of a file of their own, or of a scenario. */
  readonly links?: Links
  /** What real peers do not obey of the scenario, in words. */
  readonly remark?: string | undefined
  /** The method's label in results: a scenario's label, or the algorithm with the options that are not defaults. */
  readonly label: string
  /** The algorithm with its options as text, for people. */
  readonly algorithm: string
  readonly runId?: string | undefined
  readonly init?: string | undefined
}

/**
 * The plan for files that were read. Throws an InputError when they do not fit each other; messages begin with `path`.
 */
export function planOf(path: string, file: TopologyFile, training: Training): RunPlan {
  // Each stage's peers have a graph of their own, all of the same kind.
  const { pipeline } = file
  const stages = pipeline?.stages ?? [file.topology]
  const [topology] = stages
  const shrinking = contraction(topology)
  // A tree follows from the links, so that stages may differ.
  const finalRounds = Math.max(...stages.map((each) => finalRoundsOn(each, training)))
  if (!Number.isFinite(finalRounds)) {
    throw new InputError(`${path}: these weights do not guarantee consensus; "murmur topology" shows the reason`)
  }
  checkWeights(path, topology, training)
  const record = recordOf(training.algorithm)
  const servers = file.servers.map(({ name }) => name)
  const { codec } = training
  refuseAll(path, pipelineRefusals(file, training, training.algorithm))
  checkNeeds(path, record, { topology, servers, codec, options: givenOptions(training.algorithm) }, training)
  checkStop(path, record, training)
  checkPlaces(path, file, training, record)
  checkQuorum(path, file, training, record)
  const { links } = file
  const options = onLinks(path, () =>
    trainingSettings(
      training,
      { topology, links },
      {
        seed: training.seed,
        workers: file.topology.peers,
        servers,
        pipeline: pipelineSettings(file, training),
        finalRounds: finalRoundsOf(record, training, finalRounds)
      }
    )
  )
  const ofStages = onLinks(path, () => pipeline?.stages.map((each) => optionsAmong(each, links, training.algorithm)))
  return {
    path,
    file,
    // The peers of a line need each other: there are no epochs.
    training:
      pipeline === undefined ? training : { ...training, membership: { ...training.membership, onLoss: 'stop' } },
    options,
    spectralGap: shrinking.spectralGap,
    settings: runSettings(file, training, ofStages ?? [options.options ?? {}]),
    label: algorithmLabel(record, training.algorithm),
    algorithm: algorithmText(record, training)
  }
}

/**
 * The rounds after training: none if all peers have the same model by then, and one to gather rows that are divided
 * among all.
 */
function finalRoundsOf({ keeps, kind }: AnyAlgorithm, { codec }: Training, toConsensus: number): number {
  if (kind === 'rows') return 1
  // With a codec, receivers get rounded values and the sender keeps its own.
  return keeps === 'equality' && codec === 'float32' ? 0 : toConsensus
}

/** Options that do not fit the graph or the links are the topology's fault. */
function onLinks<Settings>(path: string, settings: () => Settings): Settings {
  try {
    return settings()
  } catch (error) {
    throw error instanceof InputError ? new InputError(`${path}: ${error.message}`) : error
  }
}

/** Weighting local data by sample counts is correct only if the mixing matrix is doubly stochastic. */
function checkWeights(path: string, topology: Topology, training: Training): void {
  if (localWeights(training) === undefined) return
  const finding = structureFindings(topology).find(({ check }) => check === 'doubly-stochastic')
  if (finding === undefined || finding.level === 'ok') return
  throw new InputError(`${path}: ${finding.message} With partition "local" some data would count for more than others`)
}

/** Throws an InputError if the services of real peers have no store that they can share. */
export function checkServices({ path, file, training, options }: RunPlan): void {
  checkStore(path, options.algorithm, { store: training.store, servers: file.servers.length })
}

/** An invited peer may come late, or never. */
function checkPlaces(path: string, { peers }: TopologyFile, training: Training, record: AnyAlgorithm): void {
  const invited = peers.filter((peer) => peer.invited).map(({ name }) => name)
  if (invited.length === 0) return
  const found = `${path}: ${invited.join(', ')} may join by invitation`
  if (!lossRule(record, training.membership.onLoss).joins)
    throw new InputError(`${found}, but ${record.title} needs all peers from the start`)
  if (localWeights(training) !== 'per-sample' || continuesInEpochs(record, training.membership)) return
  throw new InputError(
    `${found}, but with partition "local" all peers must report at the start how many samples they have; choose partition: { local: per-peer }`
  )
}

/** In epochs a majority decides who the members are: fewer peers could begin in two groups. */
function checkQuorum(path: string, { peers, servers }: TopologyFile, training: Training, record: AnyAlgorithm): void {
  const { quorum } = training.membership
  if (quorum === undefined || !continuesInEpochs(record, training.membership)) return
  const count = peers.filter(({ invited }) => invited !== true).length + servers.length
  const needed = Math.floor(count / 2) + 1
  if (quorum >= needed) return
  throw new InputError(
    `${path}: quorum: found ${quorum} of ${count} peers, expected at least ${needed}: ${record.title} needs all its members, and two groups could begin`
  )
}

/** Peers that count their own rounds cannot agree on the last one. */
function checkStop(path: string, record: AnyAlgorithm, { stop }: Training): void {
  const refused = stop && stopRefusal(record, stop)
  if (refused !== undefined) throw new InputError(`${path}: stop: ${refused}`)
}

/** The algorithm's requirements are checked before anything starts. */
function checkNeeds(path: string, record: AnyAlgorithm, surroundings: Surroundings, training: Training): void {
  refuseAll(path, [...refusals(record, surroundings), ...taskRefusals(record, training)])
}

function refuseAll(path: string, refused: readonly string[]): void {
  if (refused.length > 0) throw new InputError(refused.map((text) => `${path}: ${text}`).join('\n'))
}

/** What the loss of a peer means: where the model is cut, that a line has lost one of its stages. */
export function lossRuleOf({ file, options, training }: Pick<RunPlan, 'file' | 'options' | 'training'>): LossRule {
  if (file.pipeline === undefined) return lossRule(options.algorithm, training.membership.onLoss)
  const because = 'each stage of the model needs the others'
  return { onLoss: 'ends', joins: false, reason: because, because }
}

/** What to say before a run that the loss of a peer ends; nothing of other runs. */
export function lossTexts({ file, options, training }: RunPlan): readonly string[] {
  const { onLoss, reason } = lossRuleOf({ file, options, training })
  if (onLoss !== 'ends' || file.topology.peers.length + file.servers.length === 1) return []
  return [`the loss of a peer ends this run: ${reason}`]
}

/** What to say before a run in which training samples leave their machines; nothing of other runs. */
export function sampleTexts({ file, options: { algorithm } }: RunPlan): readonly string[] {
  if (algorithm.needs.kernel !== true || file.topology.peers.length === 1) return []
  return [`training samples are sent to all peers: ${algorithm.title} compares them there`]
}

/** The task of one peer, or without `self` of the union of all peers' data. */
export function taskOf({ file, training }: RunPlan, self?: PeerName): TaskDescription {
  const { pipeline } = file
  if (pipeline === undefined)
    return taskDescription(training, { peers: file.topology.peers, seed: training.seed }, self)
  // The peers of a line have the data of its first.
  const peers = pipeline.lines.map(([first]) => first)
  const first = self && pipeline.lines[placeInLines(pipeline, self).line][0]
  return taskDescription(training, { peers, seed: training.seed }, first)
}

/** The settings of a peer's training: where the model is cut, those of its stage. */
export function settingsAt<Given extends AnySettings>(
  settings: Given,
  { file, training }: Pick<RunPlan, 'file' | 'training'>,
  self: PeerName
): Given {
  const { pipeline } = file
  if (pipeline === undefined) return settings
  return settingsOfStage(settings, file, training.algorithm, placeInLines(pipeline, self).stage)
}

/** The first event for displays, without the versions of real peers. */
export function startEvent({
  file,
  training,
  options,
  spectralGap,
  algorithm
}: RunPlan): Omit<StartEvent, 'version' | 'wire'> {
  return {
    kind: 'start',
    peers: file.topology.peers,
    topology: graphLabel(file.graph),
    spectralGap,
    rounds: options.rounds,
    finalRounds: options.finalRounds,
    algorithm,
    codec: training.codec
  }
}

function algorithmText(record: AnyAlgorithm, training: Training): string {
  const { algorithm, batch, accumulate, clip, optimiser, rate, rounds, weightDecay } = training
  const title = [record.title, ...optionTexts(record, algorithm)].join(', ')
  if (record.needs.dual === true) return `${title}, ${rounds} rounds, weight decay ${weightDecay}`
  if (record.needs.kernel === true) return `${title}, at most ${rounds} rounds`
  const decay =
    typeof rate.decay === 'string' ? rate.decay : `times ${rate.decay.factor} at ${rate.decay.at.join(', ')}`
  return [
    title,
    accumulate === 1 ? `batch ${batch}` : `${accumulate} batches of ${batch}`,
    `rate ${rate.initial} ${decay} after ${rate.warmup} of ${rounds} rounds`,
    optimiserText(optimiser),
    `weight decay ${weightDecay}`,
    ...(clip === undefined ? [] : [`gradients up to ${clip}`])
  ].join(', ')
}
