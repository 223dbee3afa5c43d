/** A small run of one record with one liar, in virtual time, and what is wrong with its outcome. */
import {
  type AnyAlgorithm,
  type AnySettings,
  neededServers,
  algorithms,
  keyAlgorithms,
  optionsOn,
  refusals,
  train
} from '@murmuration/algorithms'
import { poisonedFabric, quadratics } from '@murmuration/contract'
import {
  DivergedError,
  type Fabric,
  fabricWith,
  invariant,
  MemoryStore,
  NeighboursMissingError,
  type PeerName,
  peerName,
  type Random,
  type Task,
  type TaskRows,
  type Topology
} from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { createTopology } from '@murmuration/topology'
import { allFinite } from '@murmuration/vectors'
import { type VectorMessage, vectorWire, weighed } from '@murmuration/wire'
import { caseOf } from '../algorithm-cases.js'
import { changed, type Field, has, type MessageLie, plainFields } from './lies.js'

const workers = ['p0', 'p1', 'p2', 'p3', 'p4'].map(peerName)
const servers = ['s0', 's1'].map(peerName)
const elements = 4

/**
 * In virtual milliseconds: by then all that still wait for a peer have given up. A peer that serves rows goes on
 * serving.
 */
const until = 100_000

/** All records in which peers send anything. */
export const records: readonly AnyAlgorithm[] = [...algorithms, ...keyAlgorithms].filter(
  (record) => record.kind === 'rows' || Object.keys(record.channels).length > 0
)

/** A record with one liar. */
export interface LyingRun {
  readonly record: AnyAlgorithm
  readonly liar: PeerName
  readonly lie: MessageLie
  readonly seed: number
}

/** The peers that may lie in runs of a record. */
export function liarsOf(record: AnyAlgorithm): readonly PeerName[] {
  return [workers[1], ...serversOf(record).slice(0, 1)]
}

function serversOf(record: AnyAlgorithm): readonly PeerName[] {
  return servers.slice(0, neededServers(record))
}

/** The run that a seed stands for. */
export function drawRun(record: AnyAlgorithm, field: Field, seed: number): LyingRun {
  const random = createRandom(seed, record.name, field)
  const liars = liarsOf(record)
  const lie = { field, first: random.integer(12), often: [0, 0.5, 1][random.integer(3)] }
  return { record, liar: liars[random.integer(liars.length)], lie, seed }
}

/** The fields of a record's messages: the plain ones, and the numbers that travel beside vectors in an honest run. */
export async function fieldsOf(record: AnyAlgorithm): Promise<readonly Field[]> {
  let numbers = 0
  for (const liar of liarsOf(record)) {
    const none: MessageLie = { field: 'kind', first: Number.POSITIVE_INFINITY, often: 0 }
    const outcome = await outcomeOf({ record, liar, lie: none, seed: 1 })
    invariant(
      problemsOf(outcome, liar).length === 0,
      () => `an honest run of ${record.name}: ${problemsOf(outcome, liar).join('; ')}`
    )
    numbers = Math.max(numbers, outcome.numbers)
  }
  return [...plainFields, ...Array.from({ length: numbers }, (_, place): Field => `number ${place}`)]
}

/** What happened in a run. */
interface Outcome {
  /** How many messages were changed. */
  lies: number
  /** The most numbers beside a vector of the liar's messages. */
  numbers: number
  /** The faults that each peer has counted against others. */
  readonly faults: { readonly by: PeerName; readonly of: PeerName; readonly reason: string }[]
  readonly errors: Map<PeerName, unknown>
  /** The peers that reports of honest peers name as outliers. */
  readonly outliers: Set<PeerName>
  /** By honest peer: whether its model is finite at the end. */
  readonly ends: Map<PeerName, boolean>
}

/** Fields of which the liar's message is changed. */
function lying(
  fabric: Fabric<VectorMessage>,
  { lie, seed, record }: LyingRun,
  others: readonly PeerName[],
  outcome: Outcome
): Fabric<VectorMessage> {
  const random = createRandom(seed, record.name, lie.field, 'lies')
  let sent = 0
  const isNow = (message: VectorMessage) => {
    if (!has(message, lie.field)) return false
    const place = sent++
    return place === lie.first || (place > lie.first && random.uniform() < lie.often)
  }
  const send = (to: PeerName, message: VectorMessage) => {
    outcome.numbers = Math.max(outcome.numbers, message.numbers?.length ?? 0)
    if (!isNow(message)) return fabric.send(to, message)
    outcome.lies++
    for (const [receiver, each] of liesTo(to, message, lie.field, others, random)) fabric.send(receiver, each)
    return 'queued' as const
  }
  return fabricWith(fabric, { send, spawn: (act) => fabric.spawn((spawned) => act(fabricWith(spawned, { send }))) })
}

function liesTo(
  to: PeerName,
  message: VectorMessage,
  field: Field,
  others: readonly PeerName[],
  random: Random
): readonly (readonly [PeerName, VectorMessage])[] {
  const copies = (receivers: readonly PeerName[]) => receivers.map((receiver) => [receiver, message] as const)
  if (field === 'copies') return copies([to, to, to].slice(0, 2 + random.integer(2)))
  if (field === 'receiver') return copies(random.integer(2) === 0 ? others : [others[random.integer(others.length)]])
  return [[to, changed(message, field, random)]]
}

/** A ring where the record can have one; else all with all, or a path. */
function topologyFor(record: AnyAlgorithm): Topology {
  const peers = [...workers]
  const path = [0, 1, 2, 3].map((place): [string, string] => [peers[place], peers[place + 1]])
  const graphs = [{ kind: 'ring' }, { kind: 'complete' }, { kind: 'edges', edges: path }] as const
  const candidates = graphs
    .filter(({ kind }) => caseOf(record.name).isComplete !== true || kind === 'complete')
    .map((graph) => createTopology({ peers, graph }))
  const given = { servers: serversOf(record), options: caseOf(record.name).options ?? {} }
  const found = candidates.find((topology) => refusals(record, { topology, ...given }).length === 0)
  invariant(found !== undefined, () => `${record.name} has no graph here`)
  return found
}

/** Twelve keys of two numbers each; a sample pulls the rows of two keys towards its number. */
function rowsTask(place: number): Task {
  const count = 12
  const length = 2 * count
  const keysOf = (batch: Uint32Array) =>
    Uint32Array.from(
      new Set([...batch].flatMap((sample) => [(sample * 7 + place) % count, (sample * sample + 3) % count]))
    ).sort()
  const rows: TaskRows = {
    count,
    width: 2,
    keysOf,
    gradient: (values, _keys, batch, out) => ({
      kind: 'gradient',
      samples: batch.length,
      run: () => {
        let loss = 0
        for (const [i, value] of values.entries()) {
          out[i] = value - batch[0] / 10
          loss += (out[i] * out[i]) / 2
        }
        return loss
      }
    })
  }
  return {
    schema: [{ name: 'rows', shape: [count, 2] }],
    samples: 8,
    about: {},
    rows,
    initialise: () => ({ kind: 'initialise', samples: 0, run: () => Float32Array.from({ length }, (_, n) => n / 10) }),
    gradient: () => ({ kind: 'gradient', samples: 0, run: () => ({ loss: 1, vector: new Float32Array(length) }) }),
    evaluate: () => ({ kind: 'evaluate', samples: 0, run: () => ({ loss: 1 }) })
  }
}

async function outcomeOf(run: LyingRun): Promise<Outcome> {
  const { record, liar } = run
  const topology = topologyFor(record)
  const names = [...workers, ...serversOf(record)]
  const outcome: Outcome = { lies: 0, numbers: 0, faults: [], errors: new Map(), outliers: new Set(), ends: new Map() }
  const { taskOf } = quadratics(topology, caseOf(record.name).spread)
  const settings = {
    algorithm: record,
    options: optionsOn(record, topology, { ...caseOf(record.name).options }),
    seed: 1,
    batchSize: 2,
    rounds: record.kind === 'rows' ? 2 : 6,
    finalRounds: 1,
    rate: () => 0.1,
    timeout: 1000,
    workers,
    servers: serversOf(record),
    store: new MemoryStore()
  } as AnySettings
  const program = async (fabric: Fabric<VectorMessage>) => {
    const { self } = fabric
    const reject: Fabric<VectorMessage>['reject'] = (envelope, reason) => {
      outcome.faults.push({ by: self, of: envelope.from, reason })
      fabric.reject(envelope, reason)
    }
    const noting = fabricWith(fabric, {
      reject,
      spawn: (act) => fabric.spawn((spawned) => act(fabricWith(spawned, { reject })))
    })
    const own =
      self === liar
        ? lying(
            noting,
            run,
            names.filter((name) => name !== liar),
            outcome
          )
        : noting
    const task = record.kind === 'rows' ? rowsTask(Math.max(0, workers.indexOf(self))) : taskOf(self)
    try {
      const steps = train(own, task, settings)
      let step = await steps.next()
      let isFinite = true
      for (; step.done !== true; step = await steps.next()) {
        isFinite = allFinite(step.value.parameters)
        if (self !== liar) for (const { neighbour } of step.value.outliers) outcome.outliers.add(neighbour)
      }
      outcome.ends.set(self, isFinite && allFinite(step.value))
    } catch (error) {
      outcome.errors.set(self, error)
    }
  }
  const setting = { topology, servers: serversOf(record).map((name) => ({ name })), seed: 1, cost: () => 1, until }
  const wire = { ...vectorWire, ...weighed(record.kind === 'rows' ? 24 : elements) }
  await simulate({ ...setting, wire, links: uniformLinks({ latency: 10 }), queueLimit: 64 }, (fabric) =>
    program(poisonedFabric(fabric))
  )
  return outcome
}

/** What is wrong with an outcome: one sentence each. */
function problemsOf({ faults, errors, outliers, ends }: Outcome, liar: PeerName): readonly string[] {
  const honestErrors = [...errors].filter(([by]) => by !== liar)
  const wrong: string[] = []
  for (const { by, of, reason } of faults)
    if (by !== liar && of !== liar) wrong.push(`${by} counts a fault of ${of}, which is honest: ${reason}`)
  for (const [by, error] of honestErrors)
    if (!(error instanceof NeighboursMissingError || error instanceof DivergedError))
      wrong.push(`${by}: ${error instanceof Error ? error.stack : String(error)}`)
  for (const [by, isFinite] of ends) if (by !== liar && !isFinite) wrong.push(`the model of ${by} is not finite`)
  const isNamed =
    outliers.has(liar) ||
    faults.some(({ by, of }) => by !== liar && of === liar) ||
    honestErrors.some(([, error]) => String(error).includes(liar))
  if (honestErrors.length > 0 && !isNamed)
    wrong.push(`nobody names ${liar}: ${honestErrors.map(([by, error]) => `${by}: ${String(error)}`).join('; ')}`)
  return [...new Set(wrong)]
}

/** How often honest runs ended, and what is wrong. */
export interface Tried {
  readonly lies: number
  readonly hasEnded: boolean
  readonly wrong: readonly string[]
}

/** Runs it, and says what is wrong. */
export async function tryLie(run: LyingRun): Promise<Tried> {
  try {
    const outcome = await outcomeOf(run)
    const hasEnded = [...outcome.errors.keys()].some((by) => by !== run.liar)
    return { lies: outcome.lies, hasEnded, wrong: problemsOf(outcome, run.liar) }
  } catch (error) {
    return { lies: 1, hasEnded: true, wrong: [error instanceof Error ? (error.stack ?? error.message) : String(error)] }
  }
}
