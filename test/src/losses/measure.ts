/** One run with a fault: what is measured, and what is not as expected. */
import { readFile } from 'node:fs/promises'
import type { Milliseconds } from '@murmuration/core'
import {
  decodeSafetensorsHeader,
  distance,
  safetensorsHeaderLength,
  safetensorsLengthBytes,
  tensorsIn
} from '@murmuration/vectors'
import { type MeasuredFault, type LossMoments, shapeOf } from './faults.js'
import { LossRun, type Said, type WatchedProcess } from './loss-run.js'
import { type LossMethod, workersOf } from './run-files.js'

/** The fault happens once all have trained for so many rounds. */
const before = 8
/** How much larger the loss may be than that of those that finish, had they been alone from the start. */
const lossWithin = 0.02
/** How long the others may wait for one that comes. */
const pausedWithin: Milliseconds = 500
/** Models that are averaged by rounds at the end are so close. */
const apartWithin = 1e-5

/** What a run has shown. Times in milliseconds, undefined where there is none. */
export interface LossCost {
  /** From the fault to the first round of the next epoch, at the last of the others. */
  readonly resumed: Milliseconds | undefined
  /** From when it could train to its first round, of the last that comes back. */
  readonly returned: Milliseconds | undefined
  /** How long the others stood still for who comes, at most. */
  readonly paused: Milliseconds | undefined
  /** By how many rounds the next epoch's first one differs from the one that had begun, at most. */
  readonly rounds: number | undefined
  /** How far apart the models of those that finish are at most; 0 for the same bits. */
  readonly apart: number
  /** The mean loss of those that finish. */
  readonly loss: number
  /** What is not as expected, in words. */
  readonly wrong: readonly string[]
}

/** Runs an algorithm with a fault. */
export async function measure(method: LossMethod, fault: MeasuredFault, alone: number): Promise<LossCost> {
  const shape = shapeOf(fault)
  const run = await LossRun.prepare(method, shape)
  const { files } = run
  try {
    const workers = shape.workers.filter((name) => fault.later?.includes(name) !== true)
    for (const name of [...workers, ...files.servers]) run.start(name)
    await run.trains(workers, 0, before)
    const moments = await fault.happen(run)
    await files.hurry()
    await run.ends(files.names)
    return await measured(run, fault, moments, alone)
  } finally {
    await run.close()
  }
}

/** The workers whose loss is compared: those that would have the same data, had they been alone from the start. */
export function aloneOf(fault: MeasuredFault): readonly string[] {
  return fault.alone ?? workersOf(shapeOf(fault))
}

/** Their mean loss, had they been alone from the start. */
export async function lossAlone(method: LossMethod, fault: MeasuredFault): Promise<number> {
  const shape = shapeOf(fault)
  const { rounds } = shape
  const run = await LossRun.prepare(method, { workers: workersOf(shape), rounds, membership: '{ startWithin: 2 s }' })
  try {
    const present = aloneOf(fault)
    const names = [...present, ...run.files.servers]
    for (const name of names) run.start(name)
    await run.files.hurry()
    await run.ends(names)
    return meanLoss(present.map((name) => run.of(name)))
  } finally {
    await run.close()
  }
}

async function measured(
  run: LossRun,
  { lost = [], back = [], ends: expected = {}, within, backWithin }: MeasuredFault,
  { at, backAt }: LossMoments,
  alone: number
): Promise<LossCost> {
  const { names } = run.files
  const ends = Object.fromEntries(names.map((name) => [name, run.of(name).end ?? 'hangs']))
  const wrong = names
    .filter((name) => ends[name] !== (expected[name] ?? 0))
    .map((name) => `${name} ended with ${ends[name]}: ${lastWords(run.of(name))}`)
  const finished = names.filter((name) => ends[name] === 0 && hasLoss(run.of(name)))
  const others = finished.filter((name) => !back.includes(name))
  const resumptions = at === undefined ? [] : others.map((name) => resumptionOf(run.of(name), at, lost))
  const resumed = largest(resumptions.map((found) => found?.after))
  const rounds = largest(resumptions.map((found) => found?.rounds))
  const returned = largest(back.map((name) => returnOf(run.of(name), backAt)))
  const paused = back.length === 0 ? undefined : largest(others.map((name) => pauseOf(run.of(name), back)))
  const apart = await largestDistance(finished.map((name) => run.files.model(name)))
  const loss = meanLoss(finished.map((name) => run.of(name)))
  if (at !== undefined && resumed === undefined) wrong.push('the others begin no epoch')
  if (back.length > 0 && returned === undefined) wrong.push('who comes back does not train')
  wrong.push(...late('the others train', resumed, within), ...late('who comes back trains', returned, backWithin))
  wrong.push(...late('the others continue with it', paused, pausedWithin))
  if (!(apart <= apartWithin)) wrong.push(`the models are ${apart} apart`)
  if (!(loss <= alone * (1 + lossWithin))) wrong.push(`the loss is ${loss}, alone ${alone}`)
  if (wrong.length > 0)
    wrong.push(...names.flatMap((name) => storyOf(name, run.of(name), at ?? run.of(names[0]).startedAt)))
  return { resumed, returned, paused, rounds, apart, loss, wrong }
}

function late(what: string, time: Milliseconds | undefined, within: Milliseconds | undefined): string[] {
  return time === undefined || within === undefined || time <= within ? [] : [`${what} after ${Math.round(time)} ms`]
}

/**
 * When a peer has trained again after a loss, and by how many rounds it has jumped. Undefined for one that has become a
 * server.
 */
function resumptionOf({ said }: WatchedProcess, at: Milliseconds, lost: readonly string[]) {
  const isBegun = ({ at: when, line }: Said) =>
    when > at && line.kind === 'epoch' && !(line.members as readonly string[]).some((name) => lost.includes(name))
  const begun = said.findIndex(isBegun)
  if (begun < 0) return undefined
  const isStep = ({ line }: Said) => line.kind === 'step'
  const next = said.slice(begun).find(isStep)
  const due = Number(said.slice(0, begun).findLast(isStep)?.line.round ?? -1) + 1
  return next && { after: next.at - at, rounds: Math.abs(Number(said[begun].line.round) - due) }
}

/** How long a peer that comes has taken to train: from a time, or from when it could be reached. */
function returnOf({ said }: WatchedProcess, at?: Milliseconds): Milliseconds | undefined {
  const from = at ?? said.find(({ line }) => line.kind === 'peer')?.at
  if (from === undefined) return undefined
  const step = said.find((each) => each.at > from && each.line.kind === 'step')
  return step && step.at - from
}

/** How long a peer has stood still for one that comes, until the last epoch before its next round has begun. */
function pauseOf({ said }: WatchedProcess, names: readonly string[]): Milliseconds | undefined {
  const isTaken = ({ line }: Said) =>
    line.kind === 'epoch' && (line.joined as readonly string[]).some((name) => names.includes(name))
  const first = said.findIndex(isTaken)
  if (first < 0) return undefined
  const rest = said.slice(first)
  const next = rest.findIndex(({ line }) => line.kind === 'step')
  const last = rest.slice(0, next < 0 ? undefined : next).findLast(({ line }) => line.kind === 'epoch')
  return (last?.at ?? 0) - (rest[0].at - 1000 * Number(rest[0].line.seconds))
}

const summaryOf = ({ said }: WatchedProcess) => said.findLast(({ line }) => line.kind === 'summary')?.line

const hasLoss = (peer: WatchedProcess) => typeof summaryOf(peer)?.loss === 'number'

function meanLoss(peers: readonly WatchedProcess[]): number {
  const losses = peers.map((peer) => Number(summaryOf(peer)?.loss))
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length
}

async function largestDistance(files: readonly string[]): Promise<number> {
  const models = await Promise.all(files.map(readModel))
  return largest(models.map((model) => distance(model, models[0]))) ?? Number.NaN
}

async function readModel(file: string): Promise<Float32Array> {
  const bytes = new Uint8Array(await readFile(file))
  const start = safetensorsLengthBytes + safetensorsHeaderLength(bytes, bytes.byteLength)
  const header = decodeSafetensorsHeader(bytes.subarray(safetensorsLengthBytes, start), bytes.byteLength)
  return Float32Array.from(tensorsIn(bytes.subarray(start), header).flatMap(({ values }) => [...values]))
}

const largest = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((value) => value !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

/** Why a process has ended, in its own words. */
function lastWords({ stderr }: WatchedProcess): string {
  return stderr.trim().slice(-400)
}

const told = new Set(['membership', 'epoch', 'neighbour', 'note', 'error'])

/** What a process has said since a time, but for its rounds: of those the first one after each other line. */
function storyOf(name: string, { said }: WatchedProcess, since: Milliseconds): readonly string[] {
  const isTold = ({ line }: Said) => told.has(String(line.kind))
  return said
    .filter((each, place) => each.at > since && (isTold(each) || (place > 0 && isTold(said[place - 1]))))
    .map(({ at, line }) => `  ${((at - since) / 1000).toFixed(2)} s ${name}: ${JSON.stringify(line).slice(0, 240)}`)
}
