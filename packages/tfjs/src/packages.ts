/**
 * The packages of TensorFlow.js, which are CommonJS. They are required: for an import, Node.js would first parse their
 * text for the names that they export, which takes longer than loading them.
 */
import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Wasm from '@tensorflow/tfjs-backend-wasm'
import type * as Core from '@tensorflow/tfjs-core'
import type * as Layers from '@tensorflow/tfjs-layers'

const require = createRequire(import.meta.url)

export const core = require('@tensorflow/tfjs-core') as typeof Core
export const layers = require('@tensorflow/tfjs-layers') as typeof Layers

/** The backend of plain JavaScript, which registers itself. */
export function loadCpuBackend(): void {
  require('@tensorflow/tfjs-backend-cpu')
}

/** The WebAssembly backend, which registers itself, and starts with `start`, which sets it. */
export async function loadWasmBackend(start: () => Promise<unknown>): Promise<void> {
  const name = '@tensorflow/tfjs-backend-wasm'
  const { setWasmPaths } = require(name) as typeof Wasm
  setWasmPaths(dirname(require.resolve(name)) + sep)
  await withoutNewListeners(start)
}

const processEvents = ['uncaughtException', 'unhandledRejection'] as const

/** Removes the listeners with which the WebAssembly runtime rethrows this process's uncaught errors. */
async function withoutNewListeners(action: () => Promise<unknown>): Promise<void> {
  const before = processEvents.map((event) => new Set(process.rawListeners(event)))
  await action()
  for (const [index, event] of processEvents.entries()) {
    for (const listener of process.rawListeners(event)) {
      if (!before[index].has(listener)) process.off(event, listener as () => void)
    }
  }
}

/**
 * A native backend, which registers itself. Throws MODULE_NOT_FOUND where the user has not installed it: it is no
 * dependency.
 */
export function loadNativeBackend(name: 'tfjs-node-gpu' | 'tfjs-node'): void {
  // tfjs-node 4.22 calls these two functions, which Node.js 23 has removed.
  const util = require('node:util') as Record<string, unknown>
  util.isNullOrUndefined ??= (value: unknown) => value === null || value === undefined
  util.isArray ??= Array.isArray
  require(`@tensorflow/${name}`)
}

/**
 * The WebGPU backend, which registers itself if there is a `navigator.gpu`. Throws MODULE_NOT_FOUND where the user has
 * not installed it.
 */
export function loadWebgpuBackend(): void {
  require('@tensorflow/tfjs-backend-webgpu')
}

/** The part of the package `webgpu` that is used. */
export interface WebgpuBindings {
  /** An instance of Dawn, with these options. */
  create(options: readonly string[]): { requestAdapter(): Promise<object | null> }
  /** WebGPU's types and constants by name. */
  readonly globals: Readonly<Record<string, unknown>>
}

/** Dawn's bindings, an ECMAScript module. Rejects with MODULE_NOT_FOUND where the user has not installed them. */
export async function loadWebgpuBindings(): Promise<WebgpuBindings> {
  return (await import(pathToFileURL(require.resolve('webgpu')).href)) as WebgpuBindings
}
