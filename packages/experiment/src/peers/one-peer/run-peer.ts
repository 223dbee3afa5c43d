import {
  type Agreement,
  ElasticSession,
  type EpochSettings,
  hasRows,
  Members,
  type OwnLinks,
  type Saved,
  Session,
  type TrainingSettings
} from '@murmuration/algorithms'
import {
  type Evaluation,
  type KeyCounts,
  type Links,
  NeighboursMissingError,
  type PeerName,
  type Schema,
  StoppedError,
  type Task
} from '@murmuration/core'
import {
  createPeer,
  type AdmissionOptions,
  type DiscoveryOptions,
  type Identity,
  type Peer,
  type PeerListEntry,
  type RelayOptions,
  settingsOf,
  startOfTensors,
  type Traffic
} from '@murmuration/libp2p'
import type { TaskWorker } from '@murmuration/tasks/peer'
import { grouped } from '@murmuration/data/peer'
import { hashVector, lengthOf } from '@murmuration/vectors'
import { processId } from '#platform'
import { type RunEvent, secondsOf, type SenderFaults, type StateSeconds } from '../../base/events.js'
import { buildTask, isServer } from './build-task.js'
import { BusyTime } from '../reporting/busy-time.js'
import type { CheckpointedPeer, Checkpoints } from '../checkpoints/checkpoints.js'
import type { SavedFiles } from '../checkpoints/folder.js'
import type { Halt } from '../checkpoints/halt.js'
import type { EventLogWriter } from '../event-log/event-log.js'
import { loggedFabric } from '../event-log/logged-fabric.js'
import { linkEvents } from '../reporting/link-events.js'
import { MemberEvents } from '../reporting/member-events.js'
import { NeededPeers } from './needed-peers.js'
import { OutlierEvents } from '../reporting/outlier-events.js'
import { hasEpochs, lossRuleOf, type RunPlan, settingsAt } from '../../training/plan.js'
import { faultsSeenBy } from '../reporting/sender-faults.js'
import { withStore } from './service-store.js'
import { isSnapshot, type Snapshot, snapshotsEvery } from '../reporting/snapshots.js'
import { epochsOn, linked } from './epochs-on-network.js'
import { withReasons } from './reasons.js'
import { StepReports } from '../reporting/step-reports.js'
import { trainRows } from './train-rows.js'
import { factsOf, type OpenPage, Watching } from '../watching/watching.js'
import { moduleChecksums } from '../../training/module-checksums.js'
import { withLargeColumns } from '../../base/divergence.js'
import { type FailureKind, failureKindOf } from '../../base/errors.js'
import { membersWithoutRows } from '../../training/epoch-settings.js'
import { weighByCounts } from './weigh-by-counts.js'

/** What one peer needs in addition to the plan. */
export interface PeerRun {
  readonly plan: RunPlan
  readonly self: PeerName
  readonly identity: Identity
  readonly listen: readonly string[]
  /** Resolves with the ids and addresses of all peers; called once this peer is reachable. */
  readonly peerList: (me: {
    readonly id: string
    readonly addresses: readonly string[]
  }) => Promise<readonly PeerListEntry[]>
  /** How long to wait for the run to begin, in milliseconds. */
  readonly timeout: number
  /** How long to wait in a pause for others to return, in milliseconds. */
  readonly pause: number
  /** How to find peers that have no address in the list. */
  readonly discovery?: DiscoveryOptions | undefined
  readonly relay?: RelayOptions | undefined
  readonly upnp?: boolean | undefined
  /** How to admit peers that have no id in the list. */
  readonly admission?: AdmissionOptions | undefined
  /** The links that shape the connections. */
  readonly links?: Links
  readonly emit: (event: RunEvent) => void
  /** Receives the peer's parameters from time to time, for evaluation; awaited. */
  readonly onSnapshot: (snapshot: Snapshot, task: Task) => Promise<void>
  /**
   * Receives what the peer has learned, if it has to end before the run is over because others are missing or refuse
   * it; awaited.
   */
  readonly onUnfinished?: ((model: UnfinishedModel) => Promise<void>) | undefined
  /** Opens the peer's checkpoints; absent for none. */
  readonly checkpoints?: ((peer: CheckpointedPeer) => Checkpoints) | undefined
  /** Opens the page that shows the run; absent for no page. */
  readonly watch?: OpenPage | undefined
  /** The task that starts from the plan's model, which has the tensors `whole`; the seed determines it when absent. */
  readonly startingFrom?: (<Given extends Task>(task: Given, whole: Schema) => Promise<Given>) | undefined
  /** Logs all that the peer does. */
  readonly log?: EventLogWriter | undefined
  /** Receives the object with which events of other sources are shown on the page, once it exists. */
  readonly onWatching?: (watching: Watching) => void
  /** Stops the peer between two rounds, with a checkpoint. */
  readonly halt?: Halt
  /** Aborted to stop the peer. */
  readonly signal: AbortSignal
}

/** The model of a peer that had to end before the run was over. */
export interface UnfinishedModel extends Pick<PeerResult, 'parameters' | 'task' | 'samples'> {
  /** How many rounds it has finished. */
  readonly rounds: number
}

/** The result of one peer. */
export interface PeerResult {
  readonly parameters: Float32Array
  readonly evaluation: Evaluation
  readonly task: Pick<Task, 'schema' | 'samples' | 'about' | 'signature' | 'constantAnswer'>
  /** The number of samples that the peer processed. */
  readonly samples: number
  /** The peer's first round, if it resumed from a checkpoint or joined. */
  readonly begun?: number
  readonly traffic: Traffic
  /** Seconds in each state in which something was wrong. */
  readonly troubled: StateSeconds
  /** Neighbours that were at fault. */
  readonly faults: readonly SenderFaults[]
  /** Of training and final averaging rounds. */
  readonly seconds: number
  /** The fraction of that time in which the peer waited for neighbours, 0 … 1. */
  readonly waiting: number
  /** The fraction of that time in which gradients were computed, 0 … 1; may overlap with waiting. */
  readonly working: number
  /** See {@link RunTotals}. */
  readonly apartAfterTraining: number
  /** The disagreement in the last round; absent where the algorithm sends no models. */
  readonly disagreement?: number | undefined
  /**
   * The neighbour for which it has waited longest when all others were there, and for how many seconds; absent if for
   * none.
   */
  readonly waitedFor?: { readonly neighbour: PeerName; readonly seconds: number }
  /** How its final model compares with those of others, where peers may come and go. */
  readonly agreement?: Agreement | undefined
  /** The peer's recent estimate of the consensus distance; absent if unknown. */
  readonly consensusDistance?: number
  /** The last duality gap that was known; absent if none was. */
  readonly gap?: number
  /** How the peer accessed keyed rows, if there are any. */
  readonly keys?: KeyCounts
}

/** A server ends without a model of its own, and the peers of a line have one together. */
const noModel: Evaluation = { loss: Number.NaN }

/** Runs one peer from its start to its end. Rejects with the typed errors of core; nothing continues to run. */
export async function runPeer(run: PeerRun): Promise<PeerResult> {
  const { plan, self } = run
  const built = await buildTask(run)
  try {
    const task = (await run.startingFrom?.(built.task, built.schema)) ?? built.task
    const checksum = { ...task.fingerprints, ...(await moduleChecksums(plan.training)) }
    const { schema, longest, cuts } = built
    const settings = { ...plan.settings, ...settingsOf({ checksum, ...(cuts === undefined ? {} : { cuts }) }) }
    const start = await startOf(task, schema, plan.options.seed)
    const runSettings = { settings, schema, start, ...(longest === undefined ? {} : { longest }) }
    const variables = (task.dual?.width ?? 0) * task.samples
    const checkpoints = run.checkpoints?.({ self, runSettings, emit: run.emit, hasEpochs: hasEpochs(plan), variables })
    const saved = checkpoints && { checkpoints, files: await checkpoints.open() }
    const peer = await createPeer({
      self,
      identity: run.identity,
      topology: plan.file.topology,
      servers: plan.options.servers,
      reach: plan.file.pipeline === undefined ? plan.options.algorithm.needs.reach : 'everyone',
      seed: plan.options.seed,
      listen: run.listen,
      runSettings,
      links: run.links,
      codec: plan.training.codec,
      discovery: run.discovery,
      relay: run.relay,
      upnp: run.upnp,
      admission: run.admission,
      onEvent: linkEvents(self, run.emit)
    })
    run.log?.identify(peer.incarnation)
    return await withPeer(run, task, peer, saved)
  } finally {
    await built.task.close()
  }
}

/** The hash of the first parameters. A function of its own: what awaits the run would keep them to its end. */
async function startOf(task: TaskWorker, whole: Schema, seed: number): Promise<string> {
  const start = await task.initialise(seed).run()
  return whole === task.schema ? hashVector(start) : startOfTensors(whole, task.schema, start)
}

/** The checkpoints of a peer, and those that existed when it began. */
interface OpenedCheckpoints {
  readonly checkpoints: Checkpoints
  readonly files: SavedFiles
}

async function withPeer(
  peerRun: PeerRun,
  task: TaskWorker,
  peer: Peer,
  opened?: OpenedCheckpoints
): Promise<PeerResult> {
  const watching = new Watching(peer, peerRun.plan)
  const run = { ...peerRun, emit: watching.showing(peerRun.emit) }
  const { self } = run
  let members: Members | undefined
  let needed: NeededPeers | undefined
  let failure = 'failed'
  const stop = () => peer.stop()
  run.signal.addEventListener('abort', stop)
  try {
    if (run.signal.aborted) throw new StoppedError()
    const { id, addresses } = peer
    const parameters = lengthOf(task.schema)
    if (isServer(run))
      run.emit({ kind: 'note', text: `${self} serves ${grouped(parameters)} parameters, process ${processId}` })
    else run.emit({ kind: 'peer', peer: self, pid: processId, id, addresses, parameters, about: task.about })
    const events = new MemberEvents(self, () => peer.fabric.now())
    const epochs = epochsOn(run, task, peer)
    members = membersOf(run, peer, opened?.files.gone ?? [], { events, watching, isInEpochs: epochs !== undefined })
    needed = members === undefined ? neededOf(run, peer, watching) : undefined
    await watch(run, watching, task)
    watching.begin(members, (members ?? needed) !== undefined)
    const found = await meet(run, peer, members)
    if (epochs !== undefined && members !== undefined && found === 'begins') await linked(peer, members)
    // A peer that is taken into an epoch hears then how many samples the others have.
    if (epochs === undefined || found === 'begins') await weighByCounts(run, task, peer)
    // A peer that joins takes the state of another, which is newer than its own checkpoints.
    const resumed = found === 'joins' ? undefined : await opened?.checkpoints.resume(peer, opened.files, run.timeout)
    const saved = resumed === 'lacking' ? undefined : resumed
    const entrance = resumed === 'lacking' ? 'joins' : found
    const others = { peer, members, epochs, entrance, needed, saved, watching, checkpoints: opened?.checkpoints }
    const trained = await withStore(run, peer.fabric, (store) => trainPeer(run, { task, store, ...others }))
    const evaluation =
      trained.parameters.length === 0 || isServer(run) || 'stage' in task
        ? noModel
        : await task.evaluate(trained.parameters).run()
    await peer.close()
    return {
      ...trained,
      evaluation,
      task: factsOfTask(task),
      traffic: peer.traffic(),
      troubled: events.troubled,
      faults: faultsSeenBy(self, peer.neighbours())
    }
  } catch (thrown) {
    const isMissing = thrown instanceof NeighboursMissingError && needed !== undefined
    const error = isMissing ? await needed?.explain(thrown) : withLargeColumns(thrown, task)
    const kind = failureKindOf(error)
    if (kind === 'diverged' || kind === 'neighboursMissing') failure = (error as Error).message
    if (!(error instanceof NeighboursMissingError)) throw error
    throw withReasons(error, { neighbours: peer.neighbours(), unreached: peer.unreached })
  } finally {
    run.signal.removeEventListener('abort', stop)
    // What checkpoints ask of neighbours now, to remove old files, is not worth a wait.
    peer.stop()
    await opened?.checkpoints.end()
    watching.end()
    members?.leave()
    needed?.leave()
    await peer.close(run.signal.aborted || run.halt?.isStopping ? 'stopped' : failure)
  }
}

function factsOfTask({ schema, samples, about, signature, constantAnswer }: Task): PeerResult['task'] {
  return { schema, samples, about, signature, constantAnswer }
}

/** Serves the page, if an address is given. */
async function watch({ plan, self, emit, onWatching, watch: open }: PeerRun, watching: Watching, task: TaskWorker) {
  onWatching?.(watching)
  if (open === undefined) return
  emit({ kind: 'watch', peer: self, url: await watching.serve(open, factsOf(plan, self, task.about)) })
}

interface MembersOf {
  readonly events: MemberEvents
  readonly watching: Watching
  readonly isInEpochs: boolean
}

/** The membership, for algorithms that can continue without some peers. */
function membersOf(
  { plan, timeout, pause, emit, admission }: PeerRun,
  peer: Peer,
  gone: readonly PeerName[],
  { events, watching, isInEpochs }: MembersOf
): Members | undefined {
  const { options, training, file } = plan
  if (!lossRuleOf(plan).joins) return undefined
  const { quorum } = training.membership ?? {}
  // Who was gone when the checkpoint was saved may never come.
  const most = file.topology.peers.length - gone.length
  return new Members(peer.fabric, {
    settings: { ...training.membership, ...(quorum !== undefined && { quorum: Math.min(quorum, most) }) },
    topology: isInEpochs ? membersWithoutRows([...file.topology.peers, ...(options.servers ?? [])]) : file.topology,
    places: [...(admission?.places ?? []), ...gone],
    signer: peer.signer,
    others: watching,
    links: linksOf(peer),
    wait: { start: timeout, pause },
    onChange: (change, standing) => {
      const event = events.of(change, standing)
      if (event !== undefined) emit(event)
    }
  })
}

/** What a peer's membership has to know of its links. */
function linksOf(peer: Peer): OwnLinks {
  return {
    get missing() {
      return peer.neighbours().flatMap(({ name, state }) => (state === 'ready' ? [] : name))
    },
    hurry: () => peer.hurry()
  }
}

/** Where the loss of a peer ends the run. A shared store says itself who is lost. */
function neededOf({ plan, halt }: PeerRun, peer: Peer, others: Watching): NeededPeers | undefined {
  if (lossRuleOf(plan).onLoss !== 'ends') return undefined
  const { fabric, signer } = peer
  // Where all are stopped together, those that stop first are no loss: each saves the round before which all stop.
  const fail = (error: NeighboursMissingError) => {
    if (halt?.isStopping !== true) peer.stop(error)
  }
  return new NeededPeers(plan, { fabric, signer, others, links: () => peer.neighbours(), fail })
}

/** Connects to the others: begins with them, or finds a running training. */
async function meet(run: PeerRun, peer: Peer, members: Members | undefined): Promise<'begins' | 'joins'> {
  const peerList = await run.peerList({ id: peer.id, addresses: peer.addresses })
  if (members === undefined) {
    await peer.connect(peerList, run.timeout)
    return 'begins'
  }
  peer.meet(peerList)
  // The others have long begun to dial it, and do so ever more rarely.
  if (run.admission?.own !== undefined) peer.hurry()
  let reported = ''
  return members.entrance(() => {
    if (peer.refusal !== undefined) throw peer.refusal
    const { missing } = members.standing
    if (missing.length === 0 || missing.join() === reported) return
    reported = missing.join()
    run.emit({ kind: 'note', text: `${run.self} waits for ${missing.join(', ')}` })
  })
}

interface TrainingPeer {
  readonly task: Task
  readonly store: RunPlan['options']['store']
  readonly peer: Peer
  readonly members: Members | undefined
  readonly epochs: EpochSettings | undefined
  readonly entrance: 'begins' | 'joins'
  readonly needed: NeededPeers | undefined
  /** The state to resume from; absent for a new start. */
  readonly saved: Saved | undefined
  readonly watching: Watching
  readonly checkpoints: Checkpoints | undefined
}

async function trainPeer(run: PeerRun, trainee: TrainingPeer) {
  const { task, peer, needed, saved, checkpoints, watching } = trainee
  const { options } = run.plan
  if (!hasRows(options)) return trainModel(run, trainee, options)
  needed?.begin(0)
  const own = { ...run, saved, checkpoints }
  const trained = await trainRows(own, { ...options, gone: () => needed?.lost }, task, peer, watching)
  needed?.finish(options.rounds)
  return trained
}

async function trainModel(
  run: PeerRun,
  trainee: TrainingPeer,
  given: TrainingSettings & { readonly finalRounds: number }
) {
  const { task, store, peer, members, epochs, entrance, needed, saved, watching, checkpoints } = trainee
  const { halt, log } = run
  const fabric = log === undefined ? peer.fabric : loggedFabric(peer.fabric, log)
  const options = { ...settingsAt(given, run.plan, run.self), members, epochs, store }
  const reports = new StepReports(run.self, peer, options)
  const outliers = new OutlierEvents(run.self)
  const every = snapshotsEvery(options.rounds)
  const busy = new BusyTime(() => peer.fabric.now())
  const start = peer.fabric.now()
  const watched = busy.watch(task)
  const elastic = epochs && new ElasticSession(fabric, watched, options, { saved, entrance })
  const session =
    elastic ??
    (saved === undefined ? new Session(fabric, watched, options) : Session.resume(fabric, watched, options, saved))
  const gone = () => elastic?.gone ?? members?.knowledge.gone ?? []
  checkpoints?.begin(session.round, start, options.rounds, gone)
  watching.figures.begin(session, busy)
  // A peer that needs all others ends in the middle of a round when one is lost.
  needed?.begin(session.round)
  session.keepsBeginnings = checkpoints !== undefined
  const steps = session.steps()
  const keep = async (error: unknown): Promise<never> => {
    await keepLearned(run, { task, session, checkpoints }, failureKindOf(error))
    throw error
  }
  /** Returns the result after the last round. */
  const nextRound = async () => {
    const step = await steps.next()
    if (step.done) {
      halt?.end()
      needed?.finish(session.round)
      watching.figures.finish()
      const working = busy.fraction(start)
      const waitedFor = slowestOf(session.waitedFor)
      return {
        parameters: step.value,
        ...(waitedFor && { waitedFor }),
        agreement: members?.agreement,
        ...reports.totals(),
        working
      }
    }
    watching.figures.step(step.value)
    // The workers' reports show what a server does.
    const event = isServer(run) ? undefined : reports.add(step.value)
    if (event !== undefined) run.emit(event)
    for (const outlier of outliers.of(step.value)) run.emit(outlier)
    const { round, samples, parameters } = step.value
    if (isSnapshot(step.value, every, options.rounds)) {
      await run.onSnapshot({ round, parameters, ...reports.progress(samples) }, task)
    }
    if (session.round <= options.rounds) await checkpoints?.writeIfDue(session, peer)
    return undefined
  }
  for (;;) {
    if (await halt?.isDue(session.round)) {
      if (session.round > 0 && session.round <= options.rounds) await checkpoints?.writeLast(session)
      if (members !== undefined) await session.leave()
      throw new StoppedError()
    }
    const result = await nextRound().catch(keep)
    if (result !== undefined) return result
  }
}

function slowestOf(waitedFor: ReadonlyMap<PeerName, number>): PeerResult['waitedFor'] {
  const [slowest] = [...waitedFor].sort(([, left], [, right]) => right - left)
  return slowest && { neighbour: slowest[0], seconds: secondsOf(slowest[1]) }
}

interface Learned {
  readonly task: Task
  readonly session: Session | ElasticSession
  readonly checkpoints: Checkpoints | undefined
}

/**
 * Keeps what a peer has learned that has to end before the run is over: in a checkpoint, from which the run can
 * continue, whatever the reason is, and in a model, if others have left it without what it needs. After a divergence
 * older checkpoints are better, and stay.
 */
async function keepLearned(run: PeerRun, { task, session, checkpoints }: Learned, kind: FailureKind | undefined) {
  const { round: rounds } = session
  if (rounds === 0 || kind === 'diverged') return
  // The end of training was saved already.
  if (rounds < run.plan.options.rounds) await checkpoints?.writeLast(session)
  if (isServer(run) || (kind !== 'neighboursMissing' && kind !== 'refused')) return
  await run.onUnfinished?.({
    parameters: session.parameters.slice(),
    rounds,
    samples: session.samples,
    task: factsOfTask(task)
  })
}
