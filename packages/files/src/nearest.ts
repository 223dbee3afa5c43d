import type { PeerName } from '@murmuration/core'
import { distance } from 'fastest-levenshtein'

/** `; did you mean "…"?` with the word nearest to `found`; empty when no word is near enough to be a typo. */
export function nearest(found: string, words: readonly string[]): string {
  const { length } = found
  const tolerated = Math.max(Math.min(2, length - 1), Math.floor(length / 3))
  let best: { word: string; edits: number } | undefined
  for (const word of words) {
    const edits = distance(found.toLowerCase(), word.toLowerCase())
    if (edits <= tolerated && (best === undefined || edits < best.edits)) best = { word, edits }
  }
  return best === undefined ? '' : `; did you mean "${best.word}"?`
}

/** A sentence for a name that no peer has, with the nearest existing name. */
export function unknownPeer(name: string, peers: readonly PeerName[]): string {
  return `found "${name}", expected the name of a peer${nearest(name, peers)}`
}
