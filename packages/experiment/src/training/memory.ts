/** Whether peers have room for what they train. */
import { InputError, type PeerName } from '@murmuration/core'
import { grouped } from '@murmuration/data/peer'
import type { TopologyFile } from '@murmuration/files'
import type { Training } from './training-schema.js'

/** What a process takes without a model, measured; in bytes. */
const withoutModel = 150e6

/**
 * How many vectors as long as the parameters a process holds at its peak, measured with a perceptron of 104 MB and
 * plain SGD (VmHWM of a child of `murmur swarm`): those of the task, its thread and the round, and copies for reports.
 */
const vectorsAlone = 11.5
/** More where others send theirs. */
const vectorsOfNeighbours = 2

type OptimisedTraining = Pick<Training, 'optimiser'>

/** How much memory the process of a peer with so many parameters takes at least, in bytes; activations come on top. */
export function memoryOf(parameters: number, hasNeighbours: boolean, { optimiser }: OptimisedTraining): number {
  return withoutModel + 4 * parameters * vectorsOf(hasNeighbours, optimiser)
}

/** How many bytes of parameters a peer with so much memory has room for at most; 0 if not even for a process. */
export function roomIn(memory: number, hasNeighbours: boolean, { optimiser }: OptimisedTraining): number {
  return Math.max(0, memory - withoutModel) / vectorsOf(hasNeighbours, optimiser)
}

function vectorsOf(hasNeighbours: boolean, { name, ...options }: Training['optimiser']): number {
  const states = name === 'sgd' ? Number(Reflect.get(options, 'momentum') !== 0) : 2
  return vectorsAlone + (hasNeighbours ? vectorsOfNeighbours : 0) + states
}

/** The least memory of a peer in a file, in bytes; undefined where it gives none. */
export function leastMemory({ peers }: Pick<TopologyFile, 'peers'>): number | undefined {
  const given = peers.flatMap(({ memory }) => memory ?? [])
  return given.length === 0 ? undefined : Math.min(...given)
}

/** Throws an InputError if a peer has no room for so many parameters, with the stages that would fit. */
export function checkMemory(
  {
    file,
    training,
    path
  }: { readonly file: TopologyFile; readonly training: OptimisedTraining; readonly path: string },
  self: PeerName,
  { own, all }: { readonly own: number; readonly all: number }
): void {
  const memory = file.peers.find(({ name }) => name === self)?.memory
  if (memory === undefined) return
  const hasNeighbours = file.topology.mixing(self, 0).receiveFrom.length > 0
  if (memoryOf(own, hasNeighbours, training) <= memory) return
  const needed = megabytes(memoryOf(own, hasNeighbours, training))
  const stages = Math.ceil((4 * all) / roomIn(memory, hasNeighbours, training))
  const advice = Number.isFinite(stages)
    ? `cut the model into stages, at least ${stages}`
    : `a process takes ${megabytes(withoutModel)} without a model`
  throw new InputError(
    `${path}: ${self} has ${megabytes(memory)} of memory, and ${grouped(own)} parameters take at least ${needed}: ${advice}`
  )
}

function megabytes(bytes: number): string {
  return `${grouped(Math.round(bytes / 1e6))} MB`
}
