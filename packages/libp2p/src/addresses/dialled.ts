import type { AddressKind } from './kinds.js'

/** The kinds of addresses that a peer of this platform dials. */
export const dialled: readonly AddressKind[] = ['tcp']
