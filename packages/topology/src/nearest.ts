import { distance } from 'fastest-levenshtein'

/** `; did you mean "…"?` with the word nearest to `found`, or nothing when none is near enough to be a typo. */
export function nearest(found: string, words: readonly string[]): string {
  const { length } = found
  const tolerated = Math.max(Math.min(2, Math.floor(length / 2)), Math.floor(length / 3))
  let best: { word: string; edits: number } | undefined
  for (const word of words) {
    const edits = distance(found.toLowerCase(), word.toLowerCase())
    if (edits <= tolerated && (best === undefined || edits < best.edits)) best = { word, edits }
  }
  return best === undefined ? '' : `; did you mean "${best.word}"?`
}
