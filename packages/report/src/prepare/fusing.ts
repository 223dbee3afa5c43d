/** Contenders that differ only in whether all tensors of a model go in one message. */
import type { FusedPair } from '../shared/page-data.js'

const apartWords = /\b(tensor[ -]by[ -]tensor|per[ -]tensor|tensor[ -]?wise|unfused|not fused)\b/i
const fusedWords = /\bfused\b/i

/** The label without the words about fusing, and without what is left of brackets and commas around them. */
function baseOf(label: string): string {
  return label
    .replace(apartWords, ' ')
    .replace(fusedWords, ' ')
    .replace(/\(\s*\)|\[\s*\]/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s,;:–-]+|[\s,;:–-]+$/g, '')
}

/**
 * Labels tell it: “all-reduce, tensor by tensor” and “all-reduce, fused” are a pair; so are “all-reduce” and
 * “all-reduce, fused”. A label of neither kind is taken for the one of the other.
 */
export function fusedPairs(labels: readonly string[]): FusedPair[] {
  return labels.flatMap((label, fused) => {
    if (!fusedWords.test(label) || apartWords.test(label)) return []
    const name = baseOf(label)
    const apart = labels.findIndex(
      (other, place) =>
        place !== fused &&
        (apartWords.test(other) || !fusedWords.test(other)) &&
        baseOf(other).toLowerCase() === name.toLowerCase()
    )
    return apart === -1 ? [] : [{ name, apart, fused }]
  })
}
