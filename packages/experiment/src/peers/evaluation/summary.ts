import type { Evaluation, PeerName } from '@murmuration/core'
import { grouped } from '@murmuration/data'
import type { PipelineOfFile } from '@murmuration/files'
import type { Traffic } from '@murmuration/libp2p'
import { consensusDistance, hashVector } from '@murmuration/vectors'
import type { Summary } from '../../base/events.js'
import { nothingLearned } from '../../training/learned-nothing.js'
import { sumOfCounts } from '../../base/rows.js'
import type { RunPlan } from '../../training/plan.js'
import type { Centralised } from './evaluator.js'
import type { PeerResult, UnfinishedModel } from '../one-peer/run-peer.js'
import { modelsAmong } from './line-snapshots.js'
import { joinedVector } from '../../base/joined-vector.js'
import { faultsBySender } from '../reporting/sender-faults.js'
import type { SummarisedEvents } from '../reporting/summarised-events.js'

/** Results by peer, in the order of names; lost peers have none. */
export type PeerResults = ReadonlyMap<PeerName, PeerResult>

/** What the peers of a run have found. */
interface ResultsOfRun {
  /** Of those that have a model: of peers or, where the model is cut, of lines. */
  readonly results: PeerResults
  readonly servers: PeerResults
  /** Of each peer; `results` when absent. */
  readonly each?: PeerResults
}

/** Summarises the results of the peers that finished. */
export function summarise(
  { file, training, options, spectralGap }: RunPlan,
  { results, servers, each = results }: ResultsOfRun,
  {
    ofMean,
    central,
    before,
    seen: { epochs, outliers, rounds = options.rounds, ended }
  }: {
    readonly ofMean: Evaluation
    readonly central: Centralised | undefined
    readonly before: number | undefined
    readonly seen: SummarisedEvents['figures']
  }
): Summary {
  const all = [...results.values()]
  // A lost service takes nothing with it: the parameters are in the store.
  const roles = options.algorithm.needs.store === undefined ? file.servers.map(({ name }) => name) : []
  const withServers = [...all, ...servers.values()]
  const keys = sumOfCounts(withServers.flatMap((result) => result.keys ?? []))
  const accuracies = all.flatMap(({ evaluation }) => evaluation.accuracy ?? [])
  const perplexities = all.flatMap(({ evaluation }) => evaluation.perplexity ?? [])
  const total = (figureOf: (result: PeerResult) => number) =>
    withServers.reduce((sum, result) => sum + figureOf(result), 0)
  const sent = ({ traffic }: PeerResult) => traffic.sent.payload + traffic.sent.overhead
  const received = ({ traffic }: PeerResult) => traffic.received.payload + traffic.received.overhead
  const [busiest] = [...each, ...servers]
    .map(([name, result]) => ({ name, bytes: sent(result) + received(result) }))
    .sort((left, right) => right.bytes - left.bytes)
  const gaps = all.flatMap(({ gap }) => gap ?? [])
  const begun = Math.min(...all.map((result) => result.begun ?? 0))
  return {
    kind: 'summary',
    peers: file.topology.peers.length,
    finished: each.size,
    lost: [...file.topology.peers, ...roles].filter((peer) => !each.has(peer) && !servers.has(peer)),
    ...(epochs === undefined ? {} : { epochs }),
    outliers,
    faults: faultsBySender(all.flatMap(({ faults }) => faults)),
    rounds,
    ...(ended === undefined ? {} : { ended }),
    ...(begun === 0 ? {} : { begun }),
    samples: all.reduce((sum, { samples }) => sum + samples, 0),
    seconds: Math.max(...all.map(({ seconds }) => seconds)),
    lossOfMean: ofMean.loss,
    lossOfWorst: Math.max(...all.map(({ evaluation }) => evaluation.loss)),
    ...(ofMean.accuracy === undefined ? {} : { accuracyOfMean: ofMean.accuracy }),
    ...(accuracies.length === 0 ? {} : { accuracyOfWorst: Math.min(...accuracies) }),
    ...(ofMean.perplexity === undefined ? {} : { perplexityOfMean: ofMean.perplexity }),
    ...(ofMean.measures === undefined ? {} : { measuresOfMean: ofMean.measures }),
    ...nothingLearned(ofMean, all[0].task, training.rate),
    ...(perplexities.length === 0 ? {} : { perplexityOfWorst: Math.max(...perplexities) }),
    consensusDistance: consensusDistance(all.map(({ parameters }) => parameters)),
    ...(before === undefined ? {} : { consensusDistanceAfterTraining: before }),
    ...(gaps.length === 0 ? {} : { gap: Math.min(...gaps) }),
    ...(central === undefined ? {} : centralFields(central)),
    bytesSent: total(sent),
    bytesReceived: total(received),
    payloadSent: total(({ traffic }) => traffic.sent.payload),
    rawSent: total(({ traffic }) => traffic.sent.raw),
    messages: total(({ traffic }) => traffic.sent.frames),
    bytesOfBusiest: busiest.bytes,
    busiestPeer: busiest.name,
    waiting: all.reduce((sum, { waiting }) => sum + waiting, 0) / all.length,
    working: all.reduce((sum, { working }) => sum + working, 0) / all.length,
    troubled: Object.fromEntries(
      [...results].flatMap(([name, { troubled }]) => (Object.keys(troubled).length === 0 ? [] : [[name, troubled]]))
    ),
    backend: all[0].task.about.backend ?? 'TypeScript',
    models: Object.fromEntries([...results].map(([name, { parameters }]) => [name, hashVector(parameters)])),
    ...(keys && { keys }),
    spectralGap,
    seed: options.seed
  }
}

function centralFields({ loss, accuracy, perplexity, seconds }: Centralised) {
  return {
    centralisedLoss: loss,
    ...(accuracy === undefined ? {} : { centralisedAccuracy: accuracy }),
    ...(perplexity === undefined ? {} : { centralisedPerplexity: perplexity }),
    centralisedSeconds: seconds
  }
}

/** The results of lines, of the peers that have finished. */
export function resultsOfLines(lines: PipelineOfFile['lines'], results: PeerResults): PeerResults {
  const joined = modelsAmong(lines, (peer) => results.has(peer)).map(
    (line) => [line[0], joinedResult(line.flatMap((peer) => results.get(peer) ?? []))] as const
  )
  return new Map(joined)
}

/** What peers, or the peers of lines together, had learned when they had to end. */
export function unfinishedOf(
  { pipeline }: Pick<RunPlan['file'], 'pipeline'>,
  models: ReadonlyMap<PeerName, UnfinishedModel>
): readonly UnfinishedModel[] {
  if (pipeline === undefined) return [...models.values()]
  return modelsAmong(pipeline.lines, (peer) => models.has(peer)).map((line) => {
    const stages = line.flatMap((peer) => models.get(peer) ?? [])
    return {
      ...stages[0],
      rounds: Math.min(...stages.map(({ rounds }) => rounds)),
      parameters: joinedVector(stages.map(({ parameters }) => parameters)),
      task: { ...stages[0].task, schema: stages.flatMap(({ task }) => task.schema) }
    }
  })
}

function joinedResult(stages: readonly PeerResult[]): PeerResult {
  const [first] = stages
  const schema = stages.flatMap(({ task }) => task.schema)
  const parameters = joinedVector(stages.map((stage) => stage.parameters))
  const { stage: _, ...about } = first.task.about
  const mean = (figureOf: (stage: PeerResult) => number) =>
    stages.reduce((sum, stage) => sum + figureOf(stage), 0) / stages.length
  return {
    ...first,
    parameters,
    task: {
      ...first.task,
      schema,
      about: { ...about, stages: `${stages.length}, ${grouped(parameters.length)} parameters` }
    },
    seconds: Math.max(...stages.map(({ seconds }) => seconds)),
    waiting: mean(({ waiting }) => waiting),
    working: mean(({ working }) => working),
    apartAfterTraining: Math.max(...stages.map(({ apartAfterTraining }) => apartAfterTraining)),
    faults: stages.flatMap(({ faults }) => faults),
    traffic: stages.map(({ traffic }) => traffic).reduce(sumOfTraffic)
  }
}

function sumOfTraffic(left: Traffic, right: Traffic): Traffic {
  const sum = <Figures extends object>(one: Figures, other: Figures): Figures =>
    Object.fromEntries(
      Object.entries(one).map(([name, value]) => [name, value + Number(Reflect.get(other, name))])
    ) as Figures
  const { sent, received, ...counts } = left
  return { ...sum(counts, right), sent: sum(sent, right.sent), received: sum(received, right.received) }
}
