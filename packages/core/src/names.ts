declare const brand: unique symbol

/** A string that the compiler does not mix up with other strings. */
export type Brand<Name extends string> = string & { readonly [brand]: Name }

/** The name of a peer, as topology files give it. Unique within a topology. */
export type PeerName = Brand<'PeerName'>

/** Milliseconds on a fabric's monotonic clock, or a length of time in them. */
export type Milliseconds = number

const allowed = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/**
 * Says that `text` is a peer's name. Throws a RangeError when it cannot be one.
 *
 * @example
 * ```js
 * peerName('alice') // → 'alice'
 * ```
 */
export function peerName(text: string): PeerName {
  if (!allowed.test(text)) {
    throw new RangeError(
      `"${text}" cannot name a peer: use 1 to 64 letters, digits, ".", "_" or "-", beginning with a letter or digit`
    )
  }
  return text as PeerName
}

/**
 * The order in which sums run over peers: by name, by UTF-16 code unit, the same on every machine and locale.
 *
 * @example
 * ```js
 * ['b', 'a', 'B'].map(peerName).sort(byName) // → ['B', 'a', 'b']
 * ```
 */
export function byName(left: PeerName, right: PeerName): number {
  return left < right ? -1 : left > right ? 1 : 0
}
