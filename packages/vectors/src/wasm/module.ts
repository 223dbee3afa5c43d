import type { LinearMemory } from './memory.js'

const compiled = new Map<string, WebAssembly.Module>()

/**
 * The exports of one of the repository's modules that computes in `memory`: functions, and numbers as constants. It is
 * compiled once.
 *
 * @param hex - the module's bytes, as the generated modules.ts has them
 */
export function instantiate<Exports>(hex: string, memory: LinearMemory): Exports {
  const module = compiled.get(hex) ?? new WebAssembly.Module(bytesOf(hex))
  compiled.set(hex, module)
  const { exports } = new WebAssembly.Instance(module, { env: { memory: memory as WebAssembly.Memory } })
  const entries = Object.entries(exports).map(([name, value]) => [name, constantOf(value)])
  return Object.fromEntries(entries) as Exports
}

function constantOf(value: WebAssembly.ExportValue): unknown {
  return value instanceof WebAssembly.Global ? Number(value.value) : value
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/[0-9a-f]{2}/g) ?? [], (byte) => Number.parseInt(byte, 16))
}
