import type { Saved } from '@murmuration/algorithms'
import { settingsOf } from '@murmuration/libp2p'

/** The number of parameters of the example: enough that writing a file takes some time. */
export const exampleLength = 500_000

export const exampleRun = {
  settings: settingsOf({ batch: 16, rate: { initial: 0.1 } }),
  schema: [{ name: 'w', shape: [exampleLength] }],
  start: 'aa'
}

export function exampleSaved(round: number): Saved {
  const x = new Float32Array(exampleLength).fill(round)
  return { tree: { round, training: { x: ['training/x'] } }, vectors: new Map([['training/x', x]]) }
}
