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

/** A page is a bundle. */
export const ownSoftware: string | undefined = undefined
