/** See machine.ts. */
import type { Milliseconds } from '@murmuration/core'

/** A page has no clock in common with processes of Node. */
export const sinceBoot: Milliseconds | undefined = undefined

const callbacks = new Map<number, () => void>()
let last = 0

/** Messages to itself: unlike timers, they are not slowed down in a hidden tab. */
const { port1, port2 } = new MessageChannel()
port1.onmessage = ({ data }: MessageEvent<number>) => {
  const callback = callbacks.get(data)
  callbacks.delete(data)
  callback?.()
}

export function afterTurn(callback: () => void): () => void {
  const turn = ++last
  callbacks.set(turn, callback)
  port2.postMessage(turn)
  return () => void callbacks.delete(turn)
}

/**
 * Calls `wake` whenever connections may have been lost unseen: the page is seen or runs again, or the machine is back
 * on the network.
 */
export function onWaking(wake: () => void, signal: AbortSignal): void {
  const seen = () => {
    if (!document.hidden) wake()
  }
  globalThis.document?.addEventListener('visibilitychange', seen, { signal })
  globalThis.document?.addEventListener('resume', wake, { signal })
  for (const event of ['online', 'pageshow']) globalThis.addEventListener(event, wake, { signal })
}

/** A page is a bundle. */
export const ownSoftware: string | undefined = undefined
