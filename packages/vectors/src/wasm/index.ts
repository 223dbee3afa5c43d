/**
 * Kernels in WebAssembly for other packages: their memory, and the loading of modules.
 *
 * @packageDocumentation
 */
export { KernelMemory } from './memory.js'
export { instantiate } from './module.js'
