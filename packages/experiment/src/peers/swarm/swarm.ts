import { deferred, type Evaluation, type PeerName } from '@murmuration/core'
import { mean } from '@murmuration/vectors'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { checkCheckpoints, type CheckpointOptions } from '../checkpoints/checkpoints.js'
import { roundGrace } from '../checkpoints/halt.js'
import { Child } from './child.js'
import type { RunEvent, Summary } from '../../base/events.js'
import { DisagreementError, failureKindOf, LostError } from '../../base/errors.js'
import { differenceOf } from '../evaluation/difference.js'
import { Evaluator } from '../evaluation/evaluator.js'
import { Losses } from '../evaluation/losses.js'
import { checkFinished, type MinFinished, peersNeeded } from './min-finished.js'
import { SummarisedEvents } from '../reporting/summarised-events.js'
import { factsOfRun, learned } from '../../models/model-file.js'
import { makeRealPlan } from '../../make-plan.js'
import { lossTexts, type RunPlan, type RunRequest, sampleTexts, startEvent } from '../../training/plan.js'
import { meetingTimeout } from '../../training/meeting-timeout.js'
import type { PeerResult, UnfinishedModel } from '../one-peer/run-peer.js'
import { checkSave, saveModel } from '../recording/save.js'
import { shapedLinks } from '../one-peer/shaped-links.js'
import { type PeerResults, resultsOfLines, summarise, unfinishedOf } from '../evaluation/summary.js'
import type { WatchAddress } from '@murmuration/watch'
import { versions } from '../../base/versions.js'

/** The options of a swarm. */
export interface SwarmOptions {
  readonly emit: (event: RunEvent) => void
  readonly signal: AbortSignal
  /** Whether to run plain SGD on the union of the data afterwards, for comparison. */
  readonly baseline: boolean
  /** Where to write the mean model, in the safetensors format. */
  readonly save?: string
  /** How many peers must finish. The summary is emitted in any case; with fewer, the run ends with an error. */
  readonly minFinished?: MinFinished
  /** A file with links; the connections between the peers are made as slow as these. */
  readonly links?: string
  readonly checkpoints?: CheckpointOptions | undefined
  /** Where the first peer serves the page that shows the run; absent for no page. */
  readonly watch?: WatchAddress | undefined
  /** The folder of results for the peers' event logs; absent for no logs. */
  readonly directory?: string | undefined
  readonly now: () => number
}

/** The results of workers and servers. */
interface SwarmResults {
  readonly results: PeerResults
  readonly servers: PeerResults
  /** The error of the first worker that gave up. */
  readonly gaveUp: unknown
}

/**
 * Runs all peers of a topology as processes on this machine and summarises the results of those that finished. A peer
 * that is killed, or that gives up because its neighbours are missing, is reported with what follows for the others.
 * Rejects with the first other error of a peer. No process continues to run.
 */
export async function runSwarm(given: RunRequest, options: SwarmOptions): Promise<Summary> {
  const request = options.links === undefined ? given : { ...given, links: options.links }
  const plan = await makeRealPlan(request)
  const needed =
    options.minFinished === undefined ? 0 : peersNeeded(options.minFinished, plan.file.topology.peers.length)
  if (options.save !== undefined) await checkSave(options.save)
  const { checkpoints } = options
  const names = [...plan.file.topology.peers, ...plan.file.servers.map(({ name }) => name)]
  if (checkpoints !== undefined) await checkCheckpoints(checkpoints, plan.options.algorithm, names)
  const links = shapedLinks(plan, options.links)
  options.emit({ ...startEvent(plan), ...versions })
  if (plan.remark !== undefined) options.emit({ kind: 'note', text: plan.remark })
  for (const text of [...lossTexts(plan), ...sampleTexts(plan)]) options.emit({ kind: 'note', text })
  if (links !== undefined) options.emit({ kind: 'note', text: `links are shaped as in ${options.links ?? plan.path}` })
  const evaluator = await Evaluator.start(plan, options.emit, options.signal)
  try {
    const seen = new SummarisedEvents()
    const {
      results: each,
      servers,
      gaveUp
    } = await runChildren(plan, { ...request, runId: randomUUID() }, evaluator, {
      ...options,
      emit: (event) => {
        seen.take(event)
        if (event.kind === 'epoch' || event.kind === 'lost') evaluator.follow(event)
        options.emit(event)
      }
    })
    const results = await modelsOf(plan, each, evaluator)
    const models = [...results.values()].map(({ parameters }) => parameters)
    const { rounds = plan.options.rounds } = seen.figures
    const saving = { plan, results, models, rounds }
    const ofMean = await evaluator.evaluateMean(models).catch(async (error: unknown) => {
      // The run was stopped; the model is saved nevertheless.
      await saveMean(saving, undefined, options)
      throw error
    })
    // If the model cannot be saved, its summary is emitted nevertheless.
    const unsaved = await saveMean(saving, ofMean, options)
    const central =
      options.baseline && plan.options.algorithm.needs.kernel !== true && each.size === plan.file.topology.peers.length
        ? await evaluator.centralised(sampleCounts(results), rounds, options.now, options.signal)
        : undefined
    const summary = summarise(
      plan,
      { results, servers, each },
      { ofMean, central, before: evaluator.lastDistance, seen: seen.figures }
    )
    const difference = differenceOf(plan.training, models, summary)
    options.emit(summary)
    if (unsaved !== undefined) throw unsaved
    checkFinished(summary, needed)
    if (gaveUp !== undefined && options.minFinished === undefined) throw gaveUp
    if (difference !== undefined) throw new DisagreementError(difference)
    return summary
  } finally {
    await evaluator.close()
  }
}

/** The results of the peers; where each has a stage, of the lines, whose models are evaluated now. */
async function modelsOf({ file }: RunPlan, each: PeerResults, evaluator: Evaluator): Promise<PeerResults> {
  if (file.pipeline === undefined) return each
  const lines = resultsOfLines(file.pipeline.lines, each)
  if (lines.size === 0) throw new LostError('no line of the pipeline has finished with all its stages')
  const evaluated: [PeerName, PeerResult][] = []
  for (const [name, result] of lines)
    evaluated.push([name, { ...result, evaluation: await evaluator.evaluateMean([result.parameters]) }])
  return new Map(evaluated)
}

/** Saves the mean of all models. Returns the error, if any. */
function saveMean(
  {
    plan,
    results,
    models,
    rounds
  }: {
    readonly plan: RunPlan
    readonly results: PeerResults
    readonly models: Float32Array[]
    readonly rounds: number
  },
  evaluation: Evaluation | undefined,
  options: SwarmOptions
) {
  const [{ task }] = results.values()
  const samples = [...results.values()].reduce((sum, result) => sum + result.samples, 0)
  const facts = { ...factsOfRun(plan, { samples, ...learned(task), evaluation }), rounds }
  return saveModel(options, task.schema, mean(models), facts)
}

/** Saves the mean of the models of a run that nobody has finished. */
async function saveUnfinished(plan: RunPlan, models: readonly UnfinishedModel[], options: SwarmOptions) {
  if (options.save === undefined || models.length === 0) return
  const [{ task }] = models
  const samples = models.reduce((sum, model) => sum + model.samples, 0)
  const rounds = Math.min(plan.options.rounds, ...models.map((model) => model.rounds))
  const facts = { ...factsOfRun(plan, { samples, ...learned(task) }), rounds }
  const unsaved = await saveModel(options, task.schema, mean(models.map(({ parameters }) => parameters)), facts)
  if (unsaved !== undefined) return
  const counted = `${models.length} of ${plan.file.topology.peers.length} peers`
  const text = `nobody has finished; the mean of what ${counted} have learned, in ${rounds} rounds or more, is in ${options.save}`
  options.emit({ kind: 'note', text })
}

async function runChildren(
  plan: RunPlan,
  request: RunRequest,
  evaluator: Evaluator,
  options: SwarmOptions
): Promise<SwarmResults> {
  const { emit, signal, checkpoints, watch, directory } = options
  const listener = { event: emit, snapshot: evaluator.take.bind(evaluator) }
  const task = { request, timeout: meetingTimeout, checkpoints, directory }
  const hasStages = plan.file.pipeline !== undefined
  const start = (name: PeerName) => new Child({ ...task, self: name }, listener, hasStages)
  const [first, ...rest] = plan.file.topology.peers
  const watched = new Child({ ...task, self: first, watch }, listener, hasStages)
  if (watch !== undefined) evaluator.listener = (event) => watched.show(event)
  const workers = [watched, ...rest.map(start)]
  const servers = plan.file.servers.map(({ name }) => start(name))
  const children = [...workers, ...servers]
  const stop = async () => {
    const kills = await Promise.all(children.map((child) => child.stop()))
    for (const text of kills) if (text !== undefined) emit({ kind: 'note', text })
  }
  const losses = new Losses(plan)
  const stopped = deferred<never>()
  stopped.promise.catch(() => {})
  const abort = () => stopped.reject(signal.reason)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    const peerList = await Promise.race([Promise.all(children.map((child) => child.listening)), stopped.promise])
    for (const child of children) child.meet(peerList)
    const lose = (peer: PeerName, error: Error) => emit(losses.of(peer, error))
    const ends = Promise.all([collect(workers, lose), served(plan, servers, lose)])
    const [{ results, gaveUp }, ofServers] = await Promise.race([ends, stopped.promise, evaluator.failure])
    return { results, servers: ofServers, gaveUp: losses.withCause(gaveUp) }
  } catch (error) {
    if (failureKindOf(error) === 'neighboursMissing') {
      const models = new Map(workers.flatMap(({ name, unfinished }) => (unfinished ? [[name, unfinished]] : [])))
      await saveUnfinished(plan, unfinishedOf(plan.file, models), options)
    }
    throw losses.withCause(error)
  } finally {
    signal.removeEventListener('abort', abort)
    if (signal.aborted && checkpoints !== undefined) await stopTogether(children)
    await stop()
  }
}

/** Stops all peers before the same round, so that their last checkpoints fit together; if they reach it in time. */
async function stopTogether(children: readonly Child[]): Promise<void> {
  const grace = setTimeout(roundGrace, undefined, { ref: false })
  const halting = Promise.all(children.map((child) => child.halt()))
  const rounds = (await Promise.race([halting, grace])) ?? []
  const answers = rounds.filter((round) => round !== undefined)
  for (const child of children) child.stopBefore(Math.max(...answers))
  if (answers.length > 0) await Promise.race([Promise.all(children.map(({ ended }) => ended)), grace])
}

/** Reports a peer that lost its process, or that gave up. */
type Lose = (peer: PeerName, error: Error) => void

/**
 * Waits for all results. A peer that lost its process, or that misses all its neighbours, is reported; the first other
 * error is thrown.
 */
async function collect(children: readonly Child[], lose: Lose): Promise<Omit<SwarmResults, 'servers'>> {
  const collected = await settled(children, lose)
  if (collected.results.size === 0) throw collected.gaveUp ?? new LostError('all processes were lost')
  return collected
}

/** As {@link collect}, but also without any result. */
async function settled(
  children: readonly Child[],
  lose: Lose
): Promise<{ readonly results: PeerResults; readonly gaveUp: Error | undefined }> {
  const results = new Map<PeerName, PeerResult>()
  let gaveUp: Error | undefined
  await Promise.all(
    children.map(async (child) => {
      try {
        results.set(child.name, await child.result)
      } catch (error) {
        if (failureKindOf(error) !== 'neighboursMissing') throw error
        if (!(error instanceof LostError)) gaveUp ??= error as Error
        lose(child.name, error as Error)
      }
    })
  )
  return { results: new Map([...results].sort(([left], [right]) => (left < right ? -1 : 1))), gaveUp }
}

/**
 * The results of servers. Where one is lost, the workers end the run, or continue in a new epoch, in which one of them
 * serves. Services with a shared store need not be there, but for one.
 */
async function served({ options }: RunPlan, servers: readonly Child[], lose: Lose): Promise<PeerResults> {
  const areServices = options.algorithm.needs.store !== undefined
  return (await (areServices ? collect : settled)(servers, lose)).results
}

function sampleCounts(results: PeerResults): number[] {
  return [...results.values()].map(({ task }) => task.samples)
}
