/**
 * The packages of TensorFlow.js, which are CommonJS: imported, Node.js would first read their text for the names that they export, which takes longer than to
 * load them.
 */
import { createRequire } from 'node:module'
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

/** The WebAssembly backend, which registers itself, and the file that it was loaded from. */
export function loadWasmBackend(): typeof Wasm & { readonly main: string } {
  const name = '@tensorflow/tfjs-backend-wasm'
  return { ...(require(name) as typeof Wasm), main: require.resolve(name) }
}
