/** What is done to connections, drawn from a seed. */
import type { Random } from '@murmuration/core'

/** One fault of a network, for one connection. */
export type Fault =
  /** The connection ends, in order for TCP or by a reset. */
  | { readonly kind: 'cut'; readonly reset: boolean }
  /** One direction ends as if the sender had closed it, and what it still says is lost; the other direction goes on. */
  | { readonly kind: 'half-close'; readonly inward: boolean }
  /** No byte goes either way for a time in milliseconds. */
  | { readonly kind: 'freeze'; readonly duration: number }
  /** The connection ends after so many bytes more in one direction. */
  | { readonly kind: 'cut-after'; readonly bytes: number; readonly inward: boolean }
  /** The connection ends, and the next one to the same peer ends after so few bytes that it dies in its handshakes. */
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

/** A count from 1 to `most`, of every size as likely: cuts between bytes of a header and in the midst of a body. */
function upTo(most: number, random: Random): number {
  return Math.max(1, Math.floor(most ** random.uniform()))
}
