/**
 * The names that users write for the backends. In a file of its own, so that files can be checked without loading
 * TensorFlow.js.
 */
export const backendChoices = ['gpu', 'node', 'webgpu', 'wasm', 'cpu'] as const

/**
 * A required backend, or 'auto' for the first of tfjs-node-gpu, tfjs-node, WebAssembly and plain JavaScript that loads.
 */
export type BackendChoice = (typeof backendChoices)[number] | 'auto'

/**
 * The memory of WebAssembly is 2 GiB, and each parameter takes two numbers there: itself, and its gradient or its first
 * value.
 */
export const maxWasmParameters = 2 ** 28
