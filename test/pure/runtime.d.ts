/**
 * What every JavaScript runtime provides besides the language. Packages that must not depend on a machine may use only
 * this.
 */

declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>
  encodeInto(text: string, into: Uint8Array): { readonly read: number; readonly written: number }
}

declare class TextDecoder {
  constructor(label?: string, options?: { readonly fatal?: boolean })
  decode(bytes: Uint8Array): string
}

interface AbortSignal {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

declare class AbortController {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}

declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Memory {
    constructor(size: { readonly initial: number; readonly maximum?: number; readonly shared?: boolean })
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  class Instance {
    constructor(module: Module, imports?: Record<string, Record<string, unknown>>)
    readonly exports: Exports
  }
  class Global {
    readonly value: unknown
  }
  type ExportValue = unknown
  type Exports = Record<string, ExportValue>
}
