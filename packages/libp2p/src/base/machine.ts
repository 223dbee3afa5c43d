/** This machine's clock and event loop, and the installed package. `machine.browser.ts` has the same for a page. */
import { createRequire } from 'node:module'
import type { Milliseconds } from '@murmuration/core'

/** The offset from the clock of this process to a clock that all processes of the machine share, if there is one. */
export const sinceBoot: Milliseconds | undefined = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/** Calls `callback` once, after the events that wait now. Returns a function that cancels it. */
export function afterTurn(callback: () => void): () => void {
  const immediate = setImmediate(callback)
  return () => clearImmediate(immediate)
}

/** A process of Node is told of no sleep. */
export function onWaking(_wake: () => void, _closing: AbortSignal): void {}

/** The version of this package; `undefined` in a bundle, which has no package.json, or another program's. */
export const ownSoftware: string | undefined = versionIn('../../package.json')

function versionIn(manifest: string): string | undefined {
  try {
    const require = createRequire(import.meta.url)
    const { name, version } = require(manifest) as { readonly name?: string; readonly version?: string }
    return name === '@murmuration/libp2p' ? version : undefined
  } catch {
    return undefined
  }
}
