/** Workers that depend on all others, and servers, in virtual time. */
import { type Algorithm, algorithms, train, type TrainingSettings } from '@murmuration/algorithms'
import { complete, poisonedFabric, poisonedSteps } from '@murmuration/contract'
import {
  type Fabric,
  invariant,
  type Links,
  type Milliseconds,
  type PeerName,
  peerName,
  type StepReport,
  type Task
} from '@murmuration/core'
import {
  type PeerProgram,
  type Server,
  type SimulationOptions,
  type SimulationResult,
  simulate,
  uniformLinks
} from '@murmuration/simulator'
import { type VectorMessage, vectorWire } from '@murmuration/wire'

/** Names of workers, in their order. */
export function namesOf(count: number, prefix = 'w'): PeerName[] {
  return Array.from({ length: count }, (_, index) => peerName(`${prefix}${String(index).padStart(2, '0')}`))
}

/** A world of workers and servers. */
export interface CentralWorld extends Partial<SimulationOptions<VectorMessage>> {
  readonly workers: readonly PeerName[]
  readonly servers?: readonly Server[]
  /** 10 ms when absent. */
  readonly latency?: Milliseconds
  /** None when absent. */
  readonly jitter?: Milliseconds
  /** Bits per second of every line; unlimited when absent. */
  readonly bandwidth?: number
}

/**
 * Runs `program` on all workers and servers. Computing takes no time unless `cost` says so. Freed memory is poisoned.
 */
export function inCentralWorld(world: CentralWorld, program: PeerProgram<VectorMessage>): Promise<SimulationResult> {
  const { workers, latency = 10, jitter = 0, bandwidth = Number.POSITIVE_INFINITY, ...options } = world
  const even = uniformLinks({ latency, bandwidth })
  const links: Links = { ...even, path: (from, to) => ({ ...even.path(from, to), jitter }) }
  const topology = complete(...workers)
  return simulate(
    { topology, seed: 1, wire: vectorWire, links, cost: () => 0, queueLimit: 1e6, ...options },
    (fabric) => program(poisonedFabric(fabric))
  )
}

/** How all peers train: an algorithm by its name, and settings that the world does not give. */
export interface MethodSettings extends Omit<TrainingSettings, 'algorithm' | 'workers' | 'servers'> {
  readonly algorithm: string
}

/** The history of the workers: their reports, with copies of the parameters, and their results. */
export interface WorkerHistory {
  readonly reports: readonly (readonly StepReport[])[]
  readonly ends: readonly Float32Array[]
  readonly elapsed: Milliseconds
  /** How many messages of each sender were rejected. */
  readonly rejected: ReadonlyMap<PeerName, number>
}

/** The algorithm of this name. */
export function algorithmOf(name: string): Algorithm {
  const found = algorithms.find((algorithm) => algorithm.name === name)
  invariant(found !== undefined, () => `no algorithm is named ${name}`)
  return found
}

/** Trains all workers and servers. */
export async function historyOf(
  world: CentralWorld & {
    /** The server's task when `self` is absent. */
    readonly taskOf: (self?: PeerName) => Task | Promise<Task>
    /** Replaces the fabric of some peers. */
    readonly fabricOf?: (fabric: Fabric<VectorMessage>) => Fabric<VectorMessage>
    /** Called when a worker has ended. */
    readonly onEnd?: (worker: PeerName) => void
  },
  method: MethodSettings
): Promise<WorkerHistory> {
  const { workers, taskOf, fabricOf = (fabric) => fabric, onEnd, ...options } = world
  const servers = (options.servers ?? []).map(({ name }) => name)
  const settings = { ...method, algorithm: algorithmOf(method.algorithm), workers, servers }
  const reports: StepReport[][] = workers.map(() => [])
  const ends: Float32Array[] = []
  const { elapsed, rejected } = await inCentralWorld({ workers, ...options }, async (fabric) => {
    const index = workers.indexOf(fabric.self)
    const task = await taskOf(index < 0 ? undefined : fabric.self)
    const steps = poisonedSteps(train(fabricOf(fabric), task, settings))
    let step = await steps.next()
    for (; step.done !== true; step = await steps.next()) {
      if (index >= 0) reports[index].push({ ...step.value, parameters: step.value.parameters.slice() })
    }
    if (index < 0) return
    ends[index] = step.value
    onEnd?.(fabric.self)
  })
  return { reports, ends, elapsed, rejected }
}

/** Servers on machines of their own. */
export function dedicated(count: number): readonly Server[] {
  return namesOf(count, 's').map((name) => ({ name }))
}

/** A server on each worker's machine. */
export function colocated(workers: readonly PeerName[]): readonly Server[] {
  return namesOf(workers.length, 's').map((name, index) => ({ name, on: workers[index] }))
}

/** Parameters that only show how gradients are applied: `gradientOf` receives the point and the number of the call. */
export function countingTask(
  tensors: readonly number[],
  gradientOf: (parameters: Float32Array, count: number) => Float32Array
): Task {
  const length = tensors.reduce((sum, size) => sum + size, 0)
  let count = 0
  return {
    schema: tensors.map((size, index) => ({ name: `t${index}`, shape: [size] })),
    samples: 8,
    about: {},
    initialise: () => ({ kind: 'initialise', samples: 0, run: () => new Float32Array(length) }),
    gradient: (parameters, batch) => ({
      kind: 'gradient',
      samples: batch.length,
      run: () => ({ loss: 1, vector: gradientOf(parameters, count++) })
    }),
    evaluate: () => ({ kind: 'evaluate', samples: 0, run: () => ({ loss: 1 }) })
  }
}
