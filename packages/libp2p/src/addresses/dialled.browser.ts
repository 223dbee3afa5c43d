import type { AddressKind } from './kinds.js'

/** See dialled.ts. A page cannot open sockets. */
export const dialled: readonly AddressKind[] = ['webrtc-direct', 'ws']
