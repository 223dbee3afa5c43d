/**
 * The packages of TensorFlow.js in a page's thread, with WebAssembly alone: WebGL and the native backends compute other
 * bits.
 */
import * as wasm from '@tensorflow/tfjs-backend-wasm'
import * as core from '@tensorflow/tfjs-core'
import * as layers from '@tensorflow/tfjs-layers'
import type { WebgpuBindings } from './packages.js'

export { core, layers }

const wasmFile = 'tfjs-backend-wasm-simd.wasm'

/** A bundler that looks for files in packages, as Vite does, puts the address of its copy here; others do not. */
const packaged = new URL('@tensorflow/tfjs-backend-wasm/dist/tfjs-backend-wasm-simd.wasm', import.meta.url).href
const isPackaged = !packaged.endsWith(`@tensorflow/tfjs-backend-wasm/dist/${wasmFile}`)

/** Else it is beside the program of the thread. */
const wasmUrl = isPackaged ? packaged : new URL(wasmFile, globalThis.location?.href).href

export async function loadWasmBackend(start: () => Promise<unknown>): Promise<void> {
  // As in Node, which has one thread and the same bits.
  core.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false)
  // Every browser of today has SIMD; TensorFlow.js wants all three names.
  const files = ['tfjs-backend-wasm.wasm', 'tfjs-backend-wasm-simd.wasm', 'tfjs-backend-wasm-threaded-simd.wasm']
  wasm.setWasmPaths(Object.fromEntries(files.map((file) => [file, wasmUrl])))
  await start()
}

const notHere = (name: string) => () => {
  throw new Error(`${name} is not in this page`)
}

export const loadCpuBackend: () => void = notHere('plain JavaScript')
export const loadNativeBackend: (name: string) => void = notHere('tfjs-node')
export const loadWebgpuBackend: () => void = notHere('WebGPU')
export const loadWebgpuBindings: () => Promise<WebgpuBindings> = async () => notHere('WebGPU')()
