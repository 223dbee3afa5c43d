import { type Agreement, hasMembers } from '@murmuration/algorithms'
import { byName, type PeerName } from '@murmuration/core'
import { durationText } from '@murmuration/files'
import type { DiscoveryOptions, Identity, RelayOptions } from '@murmuration/libp2p'
import { hashVector, norm } from '@murmuration/vectors'
import type { PeerSummary, RunEvent } from '../base/events.js'
import { admissionOf, type OwnAdmission } from './admission/admission.js'
import { checkCheckpoints, type CheckpointOptions } from './checkpoints/checkpoints.js'
import { afterRound, Halt } from './checkpoints/halt.js'
import { withEventLog } from './event-log/with-event-log.js'
import { DisagreementError } from '../base/errors.js'
import { apartText, peersApart } from './evaluation/difference.js'
import { SummarisedEvents } from './reporting/summarised-events.js'
import { nothingLearned } from '../training/learned-nothing.js'
import { factsOfRun, learned } from '../models/model-file.js'
import { makeRealPlan } from '../make-plan.js'
import {
  hasEpochs,
  lossRuleOf,
  lossTexts,
  type RunPlan,
  type RunRequest,
  sampleTexts,
  startEvent
} from '../training/plan.js'
import { placeOf } from '../training/peer-list.js'
import { type PeerResult, runPeer, type UnfinishedModel } from './one-peer/run-peer.js'
import type { WatchAddress } from '@murmuration/watch'
import { checkSave, saveModel } from './recording/save.js'
import { versions } from '../base/versions.js'
import type { Watching } from './watching/watching.js'

/** The options of this machine's peer. */
export interface PeerCommandOptions {
  readonly as: PeerName
  readonly key?: string | undefined
  /** Replaces that of a key file. */
  readonly identity?: Identity | undefined
  /** Multiaddrs to listen on, in place of the file's. */
  readonly listen?: readonly string[] | undefined
  /** The admission of this peer, if it was invited. */
  readonly entered?: OwnAdmission | undefined
  /** How to find peers that have no address in the file. */
  readonly discovery?: DiscoveryOptions | undefined
  /** Whether to ask routers to forward this peer's port. */
  readonly upnp?: boolean | undefined
  /** Further relays through which this peer is reachable, and whether it is a relay itself. */
  readonly relay?: RelayOptions | undefined
  readonly save?: string
  readonly checkpoints?: CheckpointOptions | undefined
  /** Where to serve the page that shows the run; absent for no page. */
  readonly watch?: WatchAddress | undefined
  /** The folder of results for the peer's event log; absent for no log. */
  readonly directory?: string | undefined
  /** How long to wait for the neighbours at the start, in milliseconds. */
  readonly wait: number
  readonly emit: (event: RunEvent) => void
  readonly signal: AbortSignal
}

/** Runs one peer of a topology on this machine. Rejects with the typed errors of core. */
export async function runPeerCommand(request: RunRequest, options: PeerCommandOptions): Promise<PeerSummary> {
  const plan = await makeRealPlan(request)
  const self = options.as
  const { checkpoints } = options
  if (options.save !== undefined) await checkSave(options.save)
  if (checkpoints !== undefined) await checkCheckpoints(checkpoints, plan.options.algorithm, [self])
  const halt = new Halt()
  const { identity, listen, peerList, relays } = await placeOf(plan, self, options)
  const admission = await admissionOf({ plan, request }, self, options.emit, options.entered)
  options.emit({ ...startEvent(plan), ...versions })
  const { joins } = lossRuleOf(plan)
  const awaited = joins ? 'the start of the run' : neededBy(plan, self).join(', ')
  options.emit({ kind: 'note', text: `${self} waits up to ${durationText(options.wait)} for ${awaited}` })
  for (const text of [...lossTexts(plan), ...sampleTexts(plan), ...aloneTexts(plan)])
    options.emit({ kind: 'note', text: `${self}: ${text}` })
  const seen = new SummarisedEvents()
  let watching: Watching | undefined
  const emit = (event: RunEvent) => {
    seen.take(event)
    options.emit(event)
  }
  const result = await withEventLog({ directory: options.directory, self, plan, emit }, (logging) =>
    runPeer({
      plan,
      self,
      identity,
      listen,
      peerList: async () => peerList,
      discovery: options.discovery,
      upnp: options.upnp,
      relay: { ...options.relay, via: [...(options.relay?.via ?? []), ...relays] },
      admission,
      timeout: options.wait,
      pause: options.wait,
      watch: options.watch,
      ...logging,
      onSnapshot: async ({ parameters, holds, ...progress }, task) => {
        // If rows are divided among all peers, or the model into stages, a peer knows only its own.
        if (parameters.length === 0 || holds !== undefined || plan.file.pipeline !== undefined) return
        const evaluation = await task.evaluate(parameters).run()
        const event = { kind: 'evaluation', of: self, ...progress, ...evaluation } as const
        watching?.show(event)
        logging.emit(event)
      },
      onUnfinished: (model) => saveUnfinished(plan, options, model),
      onWatching: (value) => (watching = value),
      ...(checkpoints !== undefined && { checkpoints }),
      ...(checkpoints === undefined && plan.options.algorithm.keeps !== 'weighted mean'
        ? { signal: options.signal }
        : { halt, signal: afterRound(options.signal, halt) })
    })
  )
  const isServer = plan.options.servers?.includes(self) === true
  const { samples, evaluation } = result
  const { rounds = plan.options.rounds } = seen.figures
  const facts = { ...factsOfRun(plan, { samples, ...learned(result.task), evaluation }), rounds }
  const unsaved = isServer ? undefined : await saveModel(options, result.task.schema, result.parameters, facts)
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
    for (const peer of peers) options.emit({ kind: 'note', text: `${self}: ${peer} ${text}` })
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
  options.emit(summary)
  if (unsaved !== undefined) throw unsaved
  if (apart.length > 0) throw new DisagreementError(apartText(self, apart))
  return summary
}

/** The states in which a peer may train without a majority. */
const minorityStates = ['partitioned', 'isolated'] as const

/** What follows from policies with which there may be several models in the end. */
function aloneTexts(plan: RunPlan): string[] {
  const { options, training } = plan
  const { membership } = training
  if (hasEpochs(plan))
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
function secondsApart(plan: RunPlan, { troubled }: Pick<PeerResult, 'troubled'>): number {
  if (hasEpochs(plan)) return 0
  const { membership } = plan.training
  return minorityStates
    .filter((state) => membership?.[state] === 'continue')
    .reduce((sum, state) => sum + (troubled[state] ?? 0), 0)
}

/** The peers that have this one's model. */
function sameAs(distances: Agreement['distances'], apart: Agreement['distances']): readonly PeerName[] {
  return distances.flatMap((each) => (apart.includes(each) ? [] : each.from))
}

/** Writes the model of a peer that has to end before the run is over. */
async function saveUnfinished(
  plan: RunPlan,
  options: PeerCommandOptions,
  { parameters, rounds, samples, task }: UnfinishedModel
) {
  if (options.save === undefined) return
  const facts = { ...factsOfRun(plan, { samples, ...learned(task) }), rounds: Math.min(rounds, plan.options.rounds) }
  if ((await saveModel(options, task.schema, parameters, facts)) !== undefined) return
  options.emit({ kind: 'note', text: `${options.as}: its model after ${rounds} rounds is in ${options.save}` })
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
