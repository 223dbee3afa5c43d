/** Computing with TensorFlow.js, and reading what was computed. */
import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm'
import type { Tensor } from '@tensorflow/tfjs-core'
import { onBackend } from './backend.js'
import { core } from '#tfjs/packages.js'
import { addressOf } from './kernels/fused.js'
import { checkDevice } from './webgpu.js'

/** Computed tensors, and what becomes of their values. */
export interface Unread<Result> {
  /** Float32. */
  readonly tensors: readonly Tensor[]
  /** The result, from the tensors' values, in the same order; they are valid only during the call. */
  readonly result: (values: readonly Float32Array[]) => Result
}

/** The backend on which models are built: one that reads tensors at once, as initialisers and user modules may do. */
export function buildingBackend(name: string): string {
  return readsLater(name) ? 'cpu' : name
}

/**
 * Runs `steps`, which must be synchronous, on a backend that was started: in one turn of the event loop, so that no
 * other task changes the state of TensorFlow.js meanwhile. Then reads the tensors: in the same turn where the backend
 * can. Disposes of all tensors.
 */
export async function compute<Result>(backend: string, steps: () => Unread<Result>): Promise<Result> {
  const unread = await onBackend(backend, () => (readsLater(backend) ? keptOf(steps) : { done: resultOf(steps) }))
  return 'done' in unread ? unread.done : readLater(unread)
}

/** Whether a backend reads tensors only through a promise, as GPUs do in Node.js. */
function readsLater(backend: string): boolean {
  return backend === 'webgpu'
}

function resultOf<Result>(steps: () => Unread<Result>): Result {
  const engine = core.engine()
  engine.startScope()
  try {
    const { tensors, result } = steps()
    return result(tensors.map((tensor) => inWasm(tensor) ?? tensor.dataSync<'float32'>()))
  } finally {
    engine.endScope()
  }
}

/**
 * The values of a tensor in WebAssembly's memory, where they stay until something is computed; undefined elsewhere. A
 * copy of every gradient would be garbage of its size.
 */
function inWasm(tensor: Tensor): Float32Array | undefined {
  const { dataId, size, dtype } = tensor
  if (core.getBackend() !== 'wasm' || dtype !== 'float32') return undefined
  const backend = core.backend() as BackendWasm
  if (!backend.dataIdMap.has(dataId)) return undefined
  const wasm = backend.wasm as unknown as { readonly HEAPU8: Uint8Array }
  return new Float32Array(wasm.HEAPU8.buffer, addressOf(backend, tensor), size)
}

/** The tensors that are to be read, without all others. */
function keptOf<Result>(steps: () => Unread<Result>): Unread<Result> {
  const engine = core.engine()
  let unread: Unread<Result> | undefined
  engine.startScope()
  try {
    return (unread = steps())
  } finally {
    engine.endScope([...(unread?.tensors ?? [])])
  }
}

async function readLater<Result>({ tensors, result }: Unread<Result>): Promise<Result> {
  try {
    const values = await Promise.all(tensors.map((tensor) => tensor.data<'float32'>()))
    checkDevice()
    return result(values)
  } finally {
    for (const tensor of tensors) tensor.dispose()
  }
}
