/**
 * Kernels in WebAssembly for other packages: the memory they compute in, and how a module is loaded.
 *
 * @packageDocumentation
 */
export { KernelMemory } from './memory.js'
export { instantiate } from './module.js'
