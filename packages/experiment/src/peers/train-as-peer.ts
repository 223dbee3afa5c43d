import { type Agreement, hasMembers } from '@murmuration/algorithms'
import { byName, type OutputError, type PeerName, type Schema, type Task } from '@murmuration/core'
import { durationText } from '@murmuration/files'
import type { AdmissionOptions } from '@murmuration/libp2p'
import { hashVector, norm } from '@murmuration/vectors'
import { DisagreementError } from '../base/errors.js'
import type { PeerSummary, RunEvent } from '../base/events.js'
import { versions } from '../base/versions.js'
import { factsOfRun, learned, type ModelFacts } from '../models/model-file.js'
import { continuesInEpochs } from '../training/epoch-settings.js'
import { nothingLearned } from '../training/learned-nothing.js'
import { lossRuleOf, lossTexts, type RunPlan, sampleTexts, startEvent } from '../training/plan.js'
import { afterRound, Halt } from './checkpoints/halt.js'
import { apartText, peersApart } from './evaluation/difference.js'
import type { Logging } from './event-log/with-event-log.js'
import { SummarisedEvents } from './reporting/summarised-events.js'
import type { Watching } from './watching/watching.js'
import { type PeerResult, type PeerRun, runPeer } from './one-peer/run-peer.js'

/** Where a peer of a run is, and what this machine adds to it. */
export interface PeerPart extends Pick<
  PeerRun,
  | 'self'
  | 'identity'
  | 'listen'
  | 'discovery'
  | 'upnp'
  | 'relay'
  | 'checkpoints'
  | 'watch'
  | 'startingFrom'
  | 'onWatching'
  | 'signal'
> {
  readonly peerList: Awaited<ReturnType<PeerRun['peerList']>>
  readonly admission: AdmissionOptions | undefined
  /** How long to wait for the neighbours at the start, in milliseconds. */
  readonly wait: number
  readonly emit: (event: RunEvent) => void
  /** Receives the parameters of an evaluation, which change once it returns. */
  readonly onSnapshot?: (parameters: Float32Array, task: Task, round: number) => void
  /** Runs the peer, with a log if there is one; without it when absent. */
  readonly logged?: (
    emit: (event: RunEvent) => void,
    body: (logging: Logging) => Promise<PeerResult>
  ) => Promise<PeerResult>
  /**
   * Keeps the final model, and that of a peer that has to end before the run is over, of which it receives the rounds.
   * Resolves with the error if the model cannot be kept.
   */
  readonly keep?: (
    schema: Schema,
    parameters: Float32Array,
    facts: ModelFacts,
    unfinished?: number
  ) => Promise<OutputError | undefined>
}

/** Trains as one peer of a plan to the end of the run. Rejects with the typed errors of core. */
export async function trainAsPeer(plan: RunPlan, part: PeerPart): Promise<PeerSummary> {
  const { self, peerList, wait, keep, checkpoints } = part
  const halt = new Halt()
  part.emit({ ...startEvent(plan), ...versions })
  const { joins } = lossRuleOf(plan)
  const awaited = joins ? 'the start of the run' : neededBy(plan, self).join(', ')
  part.emit({ kind: 'note', text: `${self} waits up to ${durationText(wait)} for ${awaited}` })
  for (const text of [...lossTexts(plan), ...sampleTexts(plan), ...aloneTexts(plan)])
    part.emit({ kind: 'note', text: `${self}: ${text}` })
  const seen = new SummarisedEvents()
  let watching: Watching | undefined
  const emit = (event: RunEvent) => {
    seen.take(event)
    part.emit(event)
  }
  const { logged = (own, body) => body({ log: undefined, emit: own }) } = part
  const result = await logged(emit, (logging) =>
    runPeer({
      ...part,
      plan,
      peerList: async () => peerList,
      timeout: wait,
      pause: wait,
      ...logging,
      onSnapshot: async ({ parameters, holds, ...progress }, task) => {
        part.onSnapshot?.(parameters, task, progress.round)
        // If rows are divided among all peers, or the model into stages, a peer knows only its own.
        if (parameters.length === 0 || holds !== undefined || plan.file.pipeline !== undefined) return
        const evaluation = await task.evaluate(parameters).run()
        const event = { kind: 'evaluation', of: self, ...progress, ...evaluation } as const
        watching?.show(event)
        logging.emit(event)
      },
      onUnfinished: async ({ parameters, rounds, samples, task }) => {
        const most = Math.min(rounds, plan.options.rounds)
        const facts = { ...factsOfRun(plan, { samples, ...learned(task) }), rounds: most }
        await keep?.(task.schema, parameters, facts, rounds)
      },
      onWatching: (value) => {
        watching = value
        part.onWatching?.(value)
      },
      ...(checkpoints === undefined && plan.options.algorithm.keeps !== 'weighted mean'
        ? {}
        : { halt, signal: afterRound(part.signal, halt) })
    })
  )
  const isServer = plan.options.servers?.includes(self) === true
  const { samples, evaluation } = result
  const { rounds = plan.options.rounds } = seen.figures
  const facts = { ...factsOfRun(plan, { samples, ...learned(result.task), evaluation }), rounds }
  const unsaved = isServer ? undefined : await keep?.(result.task.schema, result.parameters, facts)
  const { seed } = plan.options
  const { distances = [], unknown = [], unfinished = [] } = result.agreement ?? {}
  const { apartAfterTraining } = result
  const apart = peersApart(plan.training, plan.options, distances, {
    apartAfterTraining,
    norm: norm(result.parameters)
  })
  for (const [peers, text] of [
    [unfinished, 'has not finished, and is not waited for any longer'],
    [unknown, 'has finished, and its model is not known here']
  ] as const)
    for (const peer of peers) part.emit({ kind: 'note', text: `${self}: ${peer} ${text}` })
  const run = {
    self,
    peers: peerList.length,
    rounds,
    ...seen.figures,
    samples: result.samples,
    seed,
    ...(isServer || plan.file.pipeline !== undefined
      ? {}
      : nothingLearned(evaluation, result.task, plan.training.rate)),
    ...(secondsApart(plan, result) > 0 && { trainedApart: secondsApart(plan, result) }),
    ...(distances.length === 0 ? {} : { sameModel: sameAs(distances, apart), apart: apart.map(({ from }) => from) })
  }
  const summary = summarise(result, run)
  part.emit(summary)
  if (unsaved !== undefined) throw unsaved
  if (apart.length > 0) throw new DisagreementError(apartText(self, apart))
  return summary
}

/** The states in which a peer may train without a majority. */
const minorityStates = ['partitioned', 'isolated'] as const

/** What follows from policies with which there may be several models in the end. */
function aloneTexts({ options, training: { membership } }: RunPlan): string[] {
  if (continuesInEpochs(options.algorithm, membership))
    return minorityStates
      .filter((state) => membership[state] === 'continue')
      .map((state) => `"${state}: continue" in the file has no effect: ${options.algorithm.title} needs a majority`)
  if (!hasMembers(options.algorithm)) return []
  const all = {
    partitioned: 'while it reaches only half of the others or fewer',
    isolated: 'while it reaches no other'
  }
  return minorityStates
    .filter((state) => membership?.[state] === 'continue')
    .map((state) => `"${state}: continue" in the file: it trains on ${all[state]}, with a model of its own`)
}

/** For how long a peer has trained without a majority, in seconds. */
function secondsApart(
  { training: { membership }, options }: RunPlan,
  { troubled }: Pick<PeerResult, 'troubled'>
): number {
  if (continuesInEpochs(options.algorithm, membership)) return 0
  return minorityStates
    .filter((state) => membership?.[state] === 'continue')
    .reduce((sum, state) => sum + (troubled[state] ?? 0), 0)
}

/** The peers that have this one's model. */
function sameAs(distances: Agreement['distances'], apart: Agreement['distances']): readonly PeerName[] {
  return distances.flatMap((each) => (apart.includes(each) ? [] : each.from))
}

/** The peers that a peer waits for at the start: its neighbours and all servers, or all workers. */
function neededBy(
  { file: { topology, pipeline }, options: { algorithm, servers = [] } }: RunPlan,
  self: PeerName
): PeerName[] {
  if (servers.includes(self)) return [...topology.peers]
  if (algorithm.needs.reach === 'everyone' || pipeline !== undefined)
    return topology.peers.filter((name) => name !== self)
  const rows = Array.from({ length: topology.period }, (_, round) => topology.mixing(self, round))
  const names = rows.flatMap(({ sendTo, receiveFrom }) => [...sendTo, ...receiveFrom].map(({ name }) => name))
  return [...new Set([...names, ...servers])].sort(byName)
}

function summarise(
  {
    evaluation,
    seconds,
    begun,
    disagreement,
    consensusDistance,
    gap,
    agreement,
    traffic,
    faults,
    troubled,
    waiting,
    waitedFor,
    working,
    task,
    parameters,
    keys
  }: PeerResult,
  {
    self,
    ...run
  }: Pick<
    PeerSummary,
    | 'peers'
    | 'epochs'
    | 'lost'
    | 'outliers'
    | 'rounds'
    | 'ended'
    | 'samples'
    | 'seed'
    | 'learnedNothing'
    | 'sameModel'
    | 'apart'
    | 'trainedApart'
  > & {
    readonly self: PeerSummary['peer']
  }
): PeerSummary {
  const apartNow = agreement?.consensus ?? consensusDistance
  return {
    kind: 'summary',
    peer: self,
    ...run,
    faults,
    seconds,
    ...(begun === undefined ? {} : { begun }),
    ...(parameters.length === 0 || Number.isNaN(evaluation.loss) ? {} : evaluation),
    ...(disagreement === undefined ? {} : { neighbourDistance: disagreement }),
    ...(apartNow === undefined ? {} : { consensusDistance: apartNow }),
    ...(gap === undefined ? {} : { gap }),
    bytesSent: traffic.sent.payload + traffic.sent.overhead,
    bytesReceived: traffic.received.payload + traffic.received.overhead,
    payloadSent: traffic.sent.payload,
    rawSent: traffic.sent.raw,
    messages: traffic.sent.frames,
    waiting,
    ...(waitedFor && { waitedFor }),
    troubled,
    working,
    backend: task.about.backend ?? 'TypeScript',
    model: hashVector(parameters),
    ...(keys === undefined ? {} : { keys })
  }
}
