/** Faults of connections, drawn from a seed. */
import type { Random } from '@murmuration/core'

/** One fault of a network, for one connection. */
export type Fault =
  /** The connection ends, with a FIN or with a reset. */
  | { readonly kind: 'cut'; readonly reset: boolean }
  /**
   * One direction ends as if the sender had closed it, and its further bytes are lost; the other direction continues.
   */
  | { readonly kind: 'half-close'; readonly inward: boolean }
  /** No byte passes in either direction for this time in milliseconds. */
  | { readonly kind: 'freeze'; readonly duration: number }
  /** The connection ends after this many further bytes in one direction. */
  | { readonly kind: 'cut-after'; readonly bytes: number; readonly inward: boolean }
  /** The connection ends, and the next one to the same peer ends after this many bytes, within its handshakes. */
  | { readonly kind: 'cut-again'; readonly bytes: number }

const kinds = ['cut', 'cut', 'half-close', 'freeze', 'cut-after', 'cut-after', 'cut-again'] as const

/** The next fault. */
export function drawFault(random: Random): Fault {
  const kind = kinds[random.integer(kinds.length)]
  switch (kind) {
    case 'cut':
      return { kind, reset: random.integer(2) === 1 }
    case 'half-close':
      return { kind, inward: random.integer(2) === 1 }
    case 'freeze':
      return { kind, duration: 1_000 + random.integer(2_001) }
    case 'cut-after':
      return { kind, bytes: upTo(2 ** 26, random), inward: random.integer(2) === 1 }
    case 'cut-again':
      return { kind, bytes: upTo(2 ** 13, random) }
  }
}

/** A count from 1 to `most`, every order of magnitude equally probable: this cuts both headers and bodies. */
function upTo(max: number, random: Random): number {
  return Math.max(1, Math.floor(max ** random.uniform()))
}
