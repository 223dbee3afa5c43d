/** How the methods of a pair differ, in words. */
import type { FormPair } from './page-data.js'

export const changes = {
  fusing: { before: 'per tensor', after: 'fused' },
  streaming: { before: 'blocking', after: 'streamed' }
} as const

export const places = {
  'streamed': 'streamed',
  'blocking': 'blocking',
  'fused': 'fused',
  'per-tensor': 'per tensor'
}

/** `direct all-reduce, per tensor: blocking over streamed`, for the line of a table. */
export function pairText({ kind, change, where }: FormPair): string {
  return `${kind}, ${places[where]}: ${changes[change].before} over ${changes[change].after}`
}
