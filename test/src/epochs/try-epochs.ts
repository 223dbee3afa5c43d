/** Simulates the run in epochs of a seed, and reports what is wrong with it. */
import type { Milliseconds, PeerName } from '@murmuration/core'
import type { FaultEvent } from '@murmuration/simulator'
import { consensusDistance } from '@murmuration/vectors'
import { type DrawnKind, type DrawnRun, drawRun } from './draw-epochs.js'
import { bitsOf, EpochWatch, isQuorumOf } from './epoch-watch.js'
import {
  areEqualIn,
  finalRoundsOf,
  hasOwnPace,
  isUndisturbed,
  maxElapsed,
  maxFinalRounds,
  type EpochsEnd,
  runInEpochs,
  runWithout
} from './run-epochs.js'

/** How far apart the models may be after averaging that leaves a hundredth of their distances. */
const maxApart = 0.2

/** How long all may pause after the end of one process or more, besides three rounds. */
const maxPause: Milliseconds = 5000

/** What is wrong with a run in epochs: one sentence each. */
export async function tryRun(run: DrawnRun): Promise<readonly string[]> {
  const watch = new EpochWatch({ algorithm: run.algorithm, areEqual: areEqualIn(run), hasOwnPace: hasOwnPace(run) })
  const end = await runInEpochs(run, watch)
  const { error, elapsed, rejected } = end
  if (error !== undefined) return [error, ...watch.findings]
  return [
    ...watch.findings,
    ...(elapsed < maxElapsed ? [] : [`it is not over after ${maxElapsed} ms`]),
    ...[...rejected].map(([name, count]) => `${count} messages or notes of ${name} were rejected`),
    ...unfinished(run, watch, end),
    ...apart(run, end),
    ...stopped(run, end),
    ...paused(run, watch),
    ...(isUndisturbed(run) ? await changed(run, watch, end) : [])
  ]
}

/**
 * All peers that are there in the end have to finish, if the present lives of those that are members of the last epoch
 * are a quorum of it and one has a whole model, and no epoch was one that the algorithm cannot train in. Where training
 * may end before all that were out are back, only the members of the last epoch have to, if none was frozen or cut off.
 * The last epoch is the last that one of them knows: an epoch of which only a proposer that has died knew is none.
 */
function unfinished(run: DrawnRun, watch: EpochWatch, { outcomes }: EpochsEnd): readonly string[] {
  const there = stayingIn(run).filter((name) => watch.processes.get(name)?.isAnew !== true)
  const known = there.flatMap((name) => watch.processes.get(name)?.known ?? [])
  const last = known.reduce((latest, epoch) => (epoch.number > latest.number ? epoch : latest), known[0])
  if (last === undefined || !watch.hasBegun) return []
  const places = there.map((name) => ({ name, life: watch.processes.get(name)?.life ?? 0 }))
  const isStuck = [...watch.values.values()].some(
    ({ members, servers }) => run.servers.length > 0 && (servers.length === 0 || servers.length === members.length)
  )
  const members = places.filter((place) =>
    last.members.some(({ name, life }) => name === place.name && life === place.life)
  )
  // A server has a part of the model.
  const isModelLost = members.every(({ name }) => last.servers.includes(name))
  if (isStuck || isModelLost || !isQuorumOf(last, places)) return []
  const isCut = run.events.some(({ kind }) => ['freeze', 'partition', 'clog'].includes(kind))
  const owing = run.isLong ? there : isCut ? [] : members.map(({ name }) => name)
  const missing = owing.filter((name) => outcomes.get(name)?.how !== 'finished')
  if (missing.length === 0) return []
  const reasons = missing.map((name) => {
    const outcome = outcomes.get(name)
    return outcome?.how === 'missed others' ? outcome.reason : `${name} has ${outcome?.how}`
  })
  return [`${missing.join()} did not finish: ${reasons.join('; ')}; the last epoch was ${JSON.stringify(last)}`]
}

/**
 * Where processes end that others are connected to, and always less than half of them, the others continue within some
 * seconds: the first name may be dead, and another may die in the agreement.
 */
function paused(run: DrawnRun, { longestPause: { time, until } }: EpochWatch): readonly string[] {
  const { topology, servers, events, quits, notes, latency } = run
  const count = topology.peers.length + servers.length
  const isEnd = ({ kind }: FaultEvent) => ['crash', 'restart', 'leave'].includes(kind)
  const ended = new Set([...quits.keys(), ...events.flatMap((event) => ('peer' in event ? [event.peer] : []))])
  if (!events.every(isEnd) || 2 * ended.size >= count || notes.lost + notes.late + notes.undecided > 0) return []
  const slowest = Math.max(...topology.peers.map((peer) => run.gradient(peer)))
  const round = slowest + 2 * count * latency
  return time <= maxPause + 3 * round ? [] : [`nobody has ended a round for ${time} ms, until ${until} ms`]
}

/** The peers whose last process does not crash or leave. */
function stayingIn({ topology, servers, events, quits }: DrawnRun): readonly PeerName[] {
  const gone = new Set<PeerName>(quits.keys())
  for (const event of events) {
    if (event.kind === 'crash' || event.kind === 'leave') gone.add(event.peer)
    if (event.kind === 'restart') gone.delete(event.peer)
  }
  return [...topology.peers, ...servers].filter((name) => !gone.has(name))
}

/** The models of those that finish are equal, or nearly equal where they are averaged. */
function apart(run: DrawnRun, { outcomes }: EpochsEnd): readonly string[] {
  const models = [...outcomes].flatMap(([name, outcome]) =>
    outcome.how === 'finished' && !run.servers.includes(name) ? [outcome.model] : []
  )
  const wrong = models.find(
    (model) => model.length !== models[0].length || model.some((value) => !Number.isFinite(value))
  )
  if (wrong !== undefined) return [`a model ends as ${wrong.join()}`]
  if (models.length < 2) return []
  const distance = consensusDistance(models)
  if (areEqualIn(run) || hasOwnPace(run))
    return distance === 0 ? [] : [`the models are ${distance} apart, and not equal`]
  const isAveraged = run.isAveraged && finalRoundsOf(run, run.topology) < maxFinalRounds
  return isAveraged && distance > maxApart ? [`the models are ${distance} apart`] : []
}

/** Where the peers agree on a last round of training, it is the same for all that were there. */
function stopped({ stopsAt }: DrawnRun, { outcomes }: EpochsEnd): readonly string[] {
  if (stopsAt === undefined) return []
  const rounds = [...outcomes].flatMap(([name, outcome]) =>
    outcome.how === 'finished' && outcome.ended !== undefined ? [[name, outcome.ended] as const] : []
  )
  if (new Set(rounds.map(([, round]) => round)).size <= 1) return []
  return [`training, to end after ${stopsAt} ms, ended in different rounds: ${rounds.join(' ')}`]
}

/** E9: without a fault there is no other epoch, and the run is the one without membership, bit by bit. */
async function changed(run: DrawnRun, watch: EpochWatch, end: EpochsEnd): Promise<readonly string[]> {
  if (watch.values.size !== 1) return [`E9: found ${watch.values.size} epochs without a fault`]
  const without = await runWithout(run, end.begun)
  const index = without.events.findIndex((event, place) => event !== end.events[place])
  if (index >= 0)
    return [`E9: event ${index} is ${end.events[index]}; without membership it is ${without.events[index]}`]
  if (end.events.length > without.events.length) return [`E9: more events than without membership`]
  if (hasOwnPace(run)) return []
  return run.topology.peers.flatMap((name) => {
    const [one, other] = [end, without].map(({ outcomes }) => {
      const outcome = outcomes.get(name)
      return outcome?.how === 'finished' ? bitsOf(outcome.model) : outcome?.how
    })
    return one === other ? [] : [`E9: ${name} ends with another model than without membership`]
  })
}

/** What is wrong with the run in epochs of a seed. */
export function epochProblems(seed: number, kind?: DrawnKind): Promise<readonly string[]> {
  return tryRun(drawRun(seed, kind))
}
