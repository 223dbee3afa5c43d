/**
 * The packages of TensorFlow.js, which are CommonJS. They are required: for an import, Node.js would first parse their text for the names that they
 * export, which takes longer than loading them.
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

/** The WebAssembly backend, which registers itself, and the file from which it was loaded. */
export function loadWasmBackend(): typeof Wasm & { readonly main: string } {
  const name = '@tensorflow/tfjs-backend-wasm'
  return { ...(require(name) as typeof Wasm), main: require.resolve(name) }
}
